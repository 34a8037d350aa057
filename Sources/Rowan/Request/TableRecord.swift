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
}

extension TableRecord where DatabaseComponents == Columns.Type {
    public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
    /// The name of the type, with its first word in lower case: `Place` gives `place`, `HTTPRequest` gives
    /// `httpRequest`, `TOEFL` gives `toefl`.
    public static var databaseTableName: String { String(describing: Self.self).lowercasedFirstWord }

    public static var databaseSchemaName: String? { nil }

    public static var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    public static func _storedKey(
        _ value: any DatabaseValueConvertible, forColumn column: String
    ) -> DatabaseValue {
        value.databaseValue
    }

    /// The number of columns that requests select.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        var relation = Relation(table: databaseTableName, schema: databaseSchemaName)
        relation.selection = databaseSelection.map { .term($0.sqlSelection) }
        let resolved = try Resolver(db).resolve(relation)
        return try db.statement { $0.write(resolved) }.columnCount
    }
}

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

// MARK: - Requests

extension TableRecord {
    /// A request of all records, with the selection of the type.
    public static func all() -> QueryInterfaceRequest<Self> {
        QueryInterfaceRequest(relation: databaseRelation)
    }

    /// The relation of all records.
    static var databaseRelation: Relation {
        var relation = Relation(table: databaseTableName, schema: databaseSchemaName)
        let selection = databaseSelection
        if !(selection.count == 1 && selection[0] is AllColumns) {
            relation.selection = selection.map { .term($0.sqlSelection) }
        }
        relation.storage = RecordStorage(type: Self.self) { _storedKey($0.value, forColumn: $1) }
        return relation
    }

    /// A request of no record.
    public static func none() -> QueryInterfaceRequest<Self> { all().none() }

    // The verbs of requests, from the type: one-line forwards.

    public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }
    public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }
    public static func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }
    public static func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }
    public static func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().select(sql: sql, arguments: arguments)
    }
    public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().select(literal: sqlLiteral)
    }
    public static func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    public static func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    public static func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }
    public static func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }
    /// A request of primary keys.
    public static func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }
    public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }
    public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }
    public static func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }
    public static func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }
    public static func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }
    public static func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().filter(sql: sql, arguments: arguments)
    }
    public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().filter(literal: sqlLiteral)
    }
    public static func filter(key: (some DatabaseValueConvertible)?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }
    public static func filter<Keys: Collection>(keys: Keys) -> QueryInterfaceRequest<Self>
    where Keys.Element: DatabaseValueConvertible {
        all().filter(keys: keys)
    }
    public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }
    public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }
    public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }
    public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }
    public static func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(ordering)
    }
    public static func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(orderings)
    }
    public static func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().order(sql: sql, arguments: arguments)
    }
    public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().order(literal: sqlLiteral)
    }
    public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> { all().orderByPrimaryKey() }
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        all().limit(limit, offset: offset)
    }
    public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> { all().aliased(alias) }
    public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> { all().with(cte) }

    /// The number of records: `SELECT COUNT(*) FROM "player"`.
    public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

    /// Deletes all records: `DELETE FROM "player"`.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

    /// Updates all records.
    ///
    /// - Returns: the number of updated rows.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
    /// Updates all records.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
    /// Updates all records: `Player.updateAll(db) { $0.score += 100 }`.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }
    /// Updates all records: `Player.updateAll(db) { [$0.score += 100, $0.bonus.set(to: 0)] }`.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// A request of the record of an id.
    public static func filter(id: ID) -> QueryInterfaceRequest<Self> { all().filter(key: id) }

    /// A request of the records of ids.
    public static func filter<IDS: Collection>(ids: IDS) -> QueryInterfaceRequest<Self> where IDS.Element == ID {
        all().filter(keys: ids)
    }

    /// A request of ids.
    public static func selectID() -> QueryInterfaceRequest<ID> { all().selectPrimaryKey(as: ID.self) }
}

// MARK: - Interpolation

extension SQLInterpolation {
    /// `SELECT * FROM \(Player.self)`
    public mutating func appendInterpolation<T: TableRecord>(_ table: T.Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// `SELECT * FROM \(Player.self)`, for a type that is only known as a record.
    public mutating func appendInterpolation(_ table: any TableRecord.Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// `SELECT * FROM \(tableOf: player)`
    public mutating func appendInterpolation(tableOf record: any TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// `SELECT \(columnsOf: Player.self, tableAlias: "p") FROM player p`
    public mutating func appendInterpolation(columnsOf recordType: (some TableRecord).Type, tableAlias: String? = nil) {
        let table = tableAlias ?? recordType.databaseTableName
        for (index, selection) in recordType.databaseSelection.enumerated() {
            if index > 0 { appendLiteral(", ") }
            switch selection.sqlSelection.node {
            case .allColumns: literal.append(.selection(SQLSelection(.allColumns(table: table))))
            case .expression(let expression):
                if case .column(let name, .current) = expression.node {
                    appendInterpolation(sql: "\(table.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)")
                } else {
                    literal.append(.expression(expression))
                }
            case .named, .literal, .allColumnsExcluding, .primaryKey:
                literal.append(.selection(selection.sqlSelection))
            }
        }
    }
}
