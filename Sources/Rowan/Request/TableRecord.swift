// A type that knows its table: the start of requests, and the words of the SQL interpolation.

/// A type that stands for a table.
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
public protocol TableRecord: SendableMetatype {
    /// The type that declares the columns.
    associatedtype Columns = Never

    /// What the closures of requests take: the columns, by default.
    associatedtype DatabaseComponents = Columns.Type

    /// What the closures of requests take: the columns, by default.
    static var databaseComponents: DatabaseComponents { get }

    /// The name of the table: by default, the name of the type with its first word in lower case.
    static var databaseTableName: String { get }

    /// The name of the schema of the table, for a table of an attached database; nil by default.
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

    /// The columns that requests select: all, by default.
    static var databaseSelection: [any SQLSelectable] { get }

    /// The stored value of a key, for a column. Not for users: records with strategies have their own.
    static func _storedKey(_ value: any DatabaseValueConvertible, forColumn column: String) -> DatabaseValue

    /// What updates do about violations, by the policy of the type; nil to fail. Not for users.
    static var _updateConflictResolution: Database.ConflictResolution? { get }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
    /// The name of the type, with its first word in lower case: `Place` gives `place`, `HTTPRequest` gives
    /// `httpRequest`, `TOEFL` gives `toefl`.
    public static var databaseTableName: String {
        derivedTableNames.withLock { names in
            if let name = names[ObjectIdentifier(Self.self)] { return name }
            let name = String(describing: Self.self).lowercasedFirstWord
            names[ObjectIdentifier(Self.self)] = name
            return name
        }
    }

    public static var databaseSchemaName: String? { nil }

    public static var databaseSelection: [any SQLSelectable] { allColumnsSelection }

    public static var _updateConflictResolution: Database.ConflictResolution? { nil }

    public static func _storedKey(
        _ value: any DatabaseValueConvertible, forColumn column: String
    ) -> DatabaseValue {
        value.databaseValue
    }

    /// The number of columns that requests select.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        var relation = Relation(table: databaseTableName, schema: databaseSchemaName)
        relation.selection = databaseSelection.map { $0.sqlSelection }
        let select = try Resolver(db).select(relation)
        return try db.statement { $0.write(select) }.columnCount
    }
}

/// The selection of most types: one array for all requests. Its only element is Sendable, which its type can't say.
nonisolated(unsafe) private let allColumnsSelection: [any SQLSelectable] = [AllColumns()]

extension RecordStorage {
    /// How a record type stores values.
    init(_ type: any Any.Type) { self.init(type: type, encode: storedValue) }
}

/// The value that a record type stores.
@Sendable
private func storedValue(_ type: any Any.Type, _ value: StorableValue, _ column: String) -> DatabaseValue {
    guard let type = type as? any TableRecord.Type else { return value.databaseValue }
    return type._storedKey(value.value, forColumn: column)
}

/// The table names that derive from the names of types: each is made once (benchmark request-build).
private let derivedTableNames = Mutex<[ObjectIdentifier: String]>([:])

extension String {
    /// The first word in lower case. A run of capitals is a word; its last letter begins the next one.
    var lowercasedFirstWord: String {
        // A generic or nested name is as good as its first identifier.
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
    /// A request of all records, with the selection of the type.
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
            .table(databaseTable), storage: RecordStorage(Self.self),
            selection: isAllColumns ? [] : selection.map { $0.sqlSelection })
    }
}

// MARK: - Interpolation

extension SQLInterpolation {
    /// `SELECT * FROM \(Player.self)`
    public mutating func appendInterpolation<T: TableRecord>(_ table: T.Type) {
        append(table.databaseTable)
    }

    /// `SELECT * FROM \(Player.self)`, for a type that is only known as a record.
    public mutating func appendInterpolation(_ table: any TableRecord.Type) {
        append(table.databaseTable)
    }

    /// `SELECT * FROM \(tableOf: player)`
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

    /// `SELECT \(columnsOf: Player.self, tableAlias: "p") FROM player p`
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
            case .literal, .symbol(.primaryKey), .symbol(.nothing), .symbol(.deferred):
                literal.append(.selection(selection.sqlSelection))
            }
        }
    }
}
