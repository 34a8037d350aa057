// What the rows of a query come from: a table, a subquery, a function that makes rows.

/// The name of a table, with its schema for a table of an attached database.
package struct TableName: Hashable, Sendable {
    package var schema: String?
    package var name: String

    package init(_ name: String, schema: String? = nil) {
        self.schema = schema
        self.name = name
    }
}

/// A source of rows.
package indirect enum Source: Hashable, Sendable {
    case table(TableName)
    /// A derived table. <https://sqlite.org/lang_select.html#fromclause>
    case subquery(SQLSubquery, name: String)
    /// A table-valued function. <https://sqlite.org/vtab.html#tabfunc2>
    case function(SQLExpression.FunctionCall)

    /// The name that columns are qualified with, where no alias is given.
    package var name: String {
        switch self {
        case .table(let table): table.name
        case .subquery(_, let name): name
        case .function(let call): call.name
        }
    }

    var isSymbolic: Bool {
        switch self {
        case .table: false
        case .subquery(let subquery, _): subquery.isSymbolic
        case .function(let call): call.arguments.contains(where: \.isSymbolic)
        }
    }
}

/// A source of rows, and how its record type stores values.
package struct StoredSource: Sendable {
    package var source: Source
    package var storage: RecordStorage?
}

/// How a record type stores the values of types that have several representations. Two are equal when they are those
/// of one type.
package struct RecordStorage: Hashable, Sendable {
    /// Encodes as a type does. A function that takes the type: a closure for each type would be allocated again for
    /// each request.
    package typealias Encode = @Sendable (_ type: any Any.Type, StorableValue, _ column: String) -> DatabaseValue

    private let type: any Any.Type
    private let encode: Encode

    package init(type: any Any.Type, encode: @escaping Encode) {
        self.type = type
        self.encode = encode
    }

    package func encode(_ value: StorableValue, forColumn column: String) -> DatabaseValue {
        encode(type, value, column)
    }

    package static func == (lhs: RecordStorage, rhs: RecordStorage) -> Bool { lhs.type == rhs.type }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}
