// The verbs of requests, from a record type: one-line forwards.

extension TableRecord {
    /// A request of no record.
    public static func none() -> QueryInterfaceRequest<Self> { all().none() }

    /// The rows of a condition that Swift knows: all of them, or none.
    @_disfavoredOverload  // the comparison of two terms is SQL first
    public static func filter(_ condition: Bool) -> QueryInterfaceRequest<Self> { all().filter(condition) }

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
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public static func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public static func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public static func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
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
    // Not `some`: Swift would check the bodies of closures against it, for seconds.
    public static func filter(_ predicate: any SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
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
    @_disfavoredOverload
    public static func filter(key: (some DatabaseValueConvertible)?, _: NoClosure = nil) -> QueryInterfaceRequest<Self>
    {
        all().filter(key: key)
    }
    @_disfavoredOverload
    public static func filter<Keys: Collection>(keys: Keys, _: NoClosure = nil) -> QueryInterfaceRequest<Self>
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
    public static func aliased<RowDecoder>(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<Self> {
        all().aliased(alias)
    }
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
    public static func filter(id: ID) -> QueryInterfaceRequest<Self> { all().filter(key: id.presentKey) }

    /// A request of the records of ids.
    @_disfavoredOverload
    public static func filter<IDS: Collection>(ids: IDS, _: NoClosure = nil) -> QueryInterfaceRequest<Self>
    where IDS.Element == ID {
        all().filter(keys: ids)
    }

    /// A request of ids.
    public static func selectID() -> QueryInterfaceRequest<ID> { all().selectPrimaryKey(as: ID.self) }
}
