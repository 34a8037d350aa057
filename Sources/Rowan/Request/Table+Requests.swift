// The verbs of requests, from a table without record type: one-line forwards.

extension Table {
    /// A request of no record.
    public func none() -> QueryInterfaceRequest<RowDecoder> { all().none() }

    /// The rows of a condition that Swift knows: all of them, or none.
    @_disfavoredOverload  // the comparison of two terms is SQL first
    public func filter(_ condition: Bool) -> QueryInterfaceRequest<RowDecoder> { all().filter(condition) }

    public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }
    public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }
    public func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().select(sql: sql, arguments: arguments)
    }
    public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().select(literal: sqlLiteral)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }
    /// A request of primary keys.
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }
    public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }
    public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }
    // Not `some`: Swift would check the bodies of closures against it, for seconds.
    public func filter(_ predicate: any SQLSpecificExpressible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }
    public func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(sql: sql, arguments: arguments)
    }
    public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(literal: sqlLiteral)
    }
    @_disfavoredOverload
    public func filter(key: (some DatabaseValueConvertible)?, _: NoClosure = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }
    @_disfavoredOverload
    public func filter<Keys: Collection>(keys: Keys, _: NoClosure = nil) -> QueryInterfaceRequest<RowDecoder>
    where Keys.Element: DatabaseValueConvertible {
        all().filter(keys: keys)
    }
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }
    public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }
    public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }
    public func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().order(sql: sql, arguments: arguments)
    }
    public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().order(literal: sqlLiteral)
    }
    public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> { all().orderByPrimaryKey() }
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().limit(limit, offset: offset)
    }
    public func aliased<Aliased>(_ alias: TableAlias<Aliased>) -> QueryInterfaceRequest<RowDecoder> {
        all().aliased(alias)
    }
    public func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> { all().with(cte) }

    /// The number of records: `SELECT COUNT(*) FROM "player"`.
    public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

    /// Deletes all records: `DELETE FROM "player"`.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

    /// Updates all records.
    ///
    /// - Returns: the number of updated rows.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
    /// Updates all records.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
}

extension Table where RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    public func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }
    public func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    public func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }
    public func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }
    public func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().filter(predicate)
    }
    public func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(ordering)
    }
    public func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(orderings)
    }
    /// Updates all records: `Player.updateAll(db) { $0.score += 100 }`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }
    /// Updates all records: `Player.updateAll(db) { [$0.score += 100, $0.bonus.set(to: 0)] }`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// A request of the record of an id.
    public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> { all().filter(key: id.presentKey) }

    /// A request of the records of ids.
    @_disfavoredOverload
    public func filter<IDS: Collection>(ids: IDS, _: NoClosure = nil) -> QueryInterfaceRequest<RowDecoder>
    where IDS.Element == RowDecoder.ID {
        all().filter(keys: ids)
    }

    /// A request of ids.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { all().selectPrimaryKey(as: RowDecoder.ID.self) }
}
