// The source of a query's rows: a table, a subquery, a table-valued function.

/// The name of a table, with the schema of an attached database.
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
    /// Rows with the columns of a table, whose keys and foreign keys apply to them.
    case derived(Source, from: TableName)

    /// The table whose keys apply to the rows.
    package var keyTable: TableName? {
        switch self {
        case .table(let table), .derived(_, from: let table): table
        case .subquery, .function: nil
        }
    }

    /// The name that qualifies the columns, unless there is an alias.
    package var name: String {
        switch self {
        case .table(let table): table.name
        case .subquery(_, let name): name
        case .function(let call): call.name
        case .derived(let source, _): source.name
        }
    }

    var isSymbolic: Bool {
        switch self {
        case .table: false
        case .subquery(let subquery, _): subquery.isSymbolic
        case .function(let call): call.arguments.contains(where: \.isSymbolic)
        case .derived(let source, _): source.isSymbolic
        }
    }
}

/// A source of rows, and the storage of its record type.
package struct StoredSource: Sendable {
    package var source: Source
    package var storage: RecordStorage?
}

/// The form in which a record type stores values of types with several representations. Two storages are equal if they
/// belong to the same record type.
package struct RecordStorage: Hashable, Sendable {
    /// Encodes a value as a type does. The type is a parameter because a closure per type would be allocated for each
    /// request.
    package typealias Encode = @Sendable (_ type: any Any.Type, StorableValue, _ column: String) -> DatabaseValue

    /// Converts the stored form of a value to that of a column; nil if it doesn't change.
    package typealias Convert = @Sendable (_ type: any Any.Type, DatabaseValue, _ column: String) -> DatabaseValue?

    private let type: any Any.Type
    private let encode: Encode
    /// Nil if the columns store all values except dates, data and identifiers as their types do.
    private let convert: Convert?

    package init(type: any Any.Type, encode: @escaping Encode, convert: Convert? = nil) {
        self.type = type
        self.encode = encode
        self.convert = convert
    }

    /// Whether some columns store values in a different form than their types.
    package var convertsValues: Bool { convert != nil }

    package func convert(_ value: DatabaseValue, forColumn column: String) -> DatabaseValue? {
        convert?(type, value, column)
    }

    package func encode(_ value: StorableValue, forColumn column: String) -> DatabaseValue {
        encode(type, value, column)
    }

    package static func == (lhs: RecordStorage, rhs: RecordStorage) -> Bool { lhs.type == rhs.type }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}
