// A type with a table: the start of requests, and of SQL interpolations.

/// A type that maps to a table.
///
/// ```swift
/// struct Player: TableRecord {
///     static let databaseTableName = "player"   // derived from the type name by default
///     enum Columns {
///         static let id = Column("id")
///         static let name = Column("name")
///     }
/// }
/// // SELECT * FROM "player" WHERE "name" = ?
/// Player.filter { $0.name == "Arthur" }
/// ```
///
/// Article: <doc:DesigningRecordTypes>.
public protocol TableRecord: SendableMetatype {
    /// The type that declares the columns.
    associatedtype Columns = UndeclaredColumns

    /// The type that closures receive. By default, the columns.
    associatedtype DatabaseComponents = Columns.Type

    /// The value that closures receive: by default, the columns.
    static var databaseComponents: DatabaseComponents { get }

    /// The name of the table. By default, the name of the type with its first word in lower case.
    static var databaseTableName: String { get }

    /// The name of the schema, for a table of an attached database. Nil by default.
    ///
    /// ```swift
    /// // SELECT * FROM "archive"."player"
    /// struct ArchivedPlayer: TableRecord {
    ///     static let databaseTableName = "player"
    ///     static let databaseSchemaName: String? = "archive"
    /// }
    /// ```
    ///
    /// Source: <https://sqlite.org/lang_attach.html>
    static var databaseSchemaName: String? { get }

    /// The columns that requests select. By default, all columns.
    static var databaseSelection: [any SQLSelectable] { get }

    /// How INSERT and UPDATE handle constraint violations, in the methods of records and of requests.
    ///
    /// ```swift
    /// // INSERT OR REPLACE INTO "player" ...
    /// static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
    /// ```
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    /// The columns, if the type was generated. For generated code only.
    static var _tableLayout: RecordLayout? { get }
}

/// The columns of a record type that declares none: `$0.name` does not compile, and the compiler's message explains
/// what to do.
@dynamicMemberLookup
public enum UndeclaredColumns {
    /// Not available: a type that declares its columns has them.
    @available(*, unavailable, message: "add `enum Columns { static let name = Column(\"name\") }` to the record type")
    public static subscript(dynamicMember name: String) -> Column { Column(name) }
}

/// A column of any name, for the message about a mistaken key path. Swift reports nothing about a missing member when
/// none of several method overloads matches. Unavailable methods accept key paths to any name and carry the message.
@dynamicMemberLookup
public struct UnknownColumn {
    /// A column, ordering or selection of any name.
    public subscript(dynamicMember name: String) -> UnknownColumn { self }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    /// By default, closures receive the columns.
    public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
    /// The name of the type, with its first word in lower case: `Place` becomes `place`, `HTTPRequest` becomes
    /// `httpRequest`, `TOEFL` becomes `toefl`.
    public static var databaseTableName: String {
        derivedTableNames.withLock { names in
            if let name = names[ObjectIdentifier(Self.self)] { return name }
            let name = String(describing: Self.self).lowercasedFirstWord
            names[ObjectIdentifier(Self.self)] = name
            return name
        }
    }

    /// By default, the table has no explicit schema.
    public static var databaseSchemaName: String? { nil }

    /// By default, requests select all columns.
    public static var databaseSelection: [any SQLSelectable] { allColumnsSelection }

    /// By default, a violation fails the statement and undoes its changes.
    public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// By default, nil.
    @inlinable
    public static var _tableLayout: RecordLayout? { nil }

    /// The number of columns that requests select.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        var relation = Relation(table: databaseTableName, schema: databaseSchemaName)
        relation.selection = databaseSelection.map { $0.sqlSelection }
        let select = try Resolver(db).select(relation)
        let use = try db.use { $0.write(select) }
        return use.statement.columnCount
    }
}

/// The default selection: a single array for all requests. Its only element is Sendable, which its type can't express.
nonisolated(unsafe) private let allColumnsSelection: [any SQLSelectable] = [AllColumns()]

/// The table names that are derived from type names, cached (benchmark request-build).
private let derivedTableNames = Mutex<[ObjectIdentifier: String]>([:])

extension String {
    /// The first word in lower case. A sequence of capitals is a word, but its last letter begins the next word.
    var lowercasedFirstWord: String {
        // For a generic or nested type, only the first identifier is used.
        let name = prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let capitals = name.prefix(while: \.isUppercase)
        let wordLength =
            capitals.count <= 1 || capitals.count == name.count
            ? capitals.count
            : (name.dropFirst(capitals.count).first?.isLetter == true ? capitals.count - 1 : capitals.count)
        return name.prefix(wordLength).lowercased() + name.dropFirst(wordLength)
    }
}

extension TableRecord {
    /// A request for all records, with the selection of the type.
    public static func all() -> QueryInterfaceRequest<Self> {
        QueryInterfaceRequest(relation: databaseRelation)
    }

    /// The name of the table, with its schema.
    static var databaseTable: TableName { TableName(databaseTableName, schema: databaseSchemaName) }

    /// The relation of all records.
    static var databaseRelation: Relation {
        let selection = databaseSelection
        let isAllColumns = selection.count == 1 && selection[0].sqlSelection.isAllColumns
        return Relation(
            .table(databaseTable), storage: RecordStorage(Self.self, _tableLayout),
            selection: isAllColumns ? [] : selection.map { $0.sqlSelection })
    }

    /// The relation of the rows of a query, which have the columns of the table.
    static func relation(of rows: Source) -> Relation {
        Relation(.derived(rows, from: databaseTable), storage: RecordStorage(Self.self, _tableLayout))
    }
}

// MARK: - Interpolation

extension SQLInterpolation {
    /// Embeds the quoted table name: `SELECT * FROM \(Player.self)`.
    public mutating func appendInterpolation<T: TableRecord>(_ table: T.Type) {
        append(table.databaseTable)
    }

    /// Embeds the quoted table name of a type-erased record type: `SELECT * FROM \(Player.self)`.
    public mutating func appendInterpolation(_ table: any TableRecord.Type) {
        append(table.databaseTable)
    }

    /// Embeds the quoted table name of a record: `SELECT * FROM \(tableOf: player)`.
    public mutating func appendInterpolation(tableOf record: any TableRecord) {
        append(type(of: record).databaseTable)
    }

    private mutating func append(_ table: TableName) {
        if let schema = table.schema {
            appendInterpolation(identifier: schema)
            appendLiteral(".")
        }
        appendInterpolation(identifier: table.name)
    }

    /// Embeds the selection of a record type: `SELECT \(columnsOf: Player.self, tableAlias: "p") FROM player p`.
    public mutating func appendInterpolation(columnsOf recordType: (some TableRecord).Type, tableAlias: String? = nil) {
        let name = tableAlias ?? recordType.databaseTableName
        let alias = TableAliasID.next(name: name)
        for (index, selection) in recordType.databaseSelection.enumerated() {
            if index > 0 { appendLiteral(", ") }
            switch selection.sqlSelection.node {
            case .allColumns: literal.append(.selection(SQLSelection(.allColumns(table: name))))
            case .expression(let expression): literal.append(.expression(expression.qualified(by: alias)))
            case .named(let expression, let name):
                literal.append(.selection(SQLSelection(.named(expression.qualified(by: alias), name))))
            case .symbol(.allColumnsExcluding(let excluded, _)):
                let table = SQLSelection.QualifiedTable(table: recordType.databaseTable, alias: alias)
                literal.append(.selection(SQLSelection(.symbol(.allColumnsExcluding(excluded, of: table)))))
            case .literal, .symbol(.columns), .symbol(.primaryKey), .symbol(.nothing), .symbol(.deferred):
                literal.append(.selection(selection.sqlSelection))
            }
        }
    }
}
