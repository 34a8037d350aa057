// The requests that start from a table: one-line wrappers of the methods of requests. This file is the list of all
// forms that start a request. Scripts/starts derives those of record types from it: TableRecord+Requests.swift.

extension Table {
    /// A request without rows.
    public func none() -> QueryInterfaceRequest<RowDecoder> { all().none() }

    /// A request with a condition that Swift evaluates: all rows or none.
    @_disfavoredOverload  // the comparison of two terms should be SQL
    public func filter(_ condition: Bool) -> QueryInterfaceRequest<RowDecoder> { all().filter(condition) }

    /// A request with a selection.
    public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }
    /// A request with a selection of several columns or expressions.
    public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }
    /// A request with a selection in SQL.
    public func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().select(sql: sql, arguments: arguments)
    }
    /// A request with a selection as a literal.
    public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().select(literal: sqlLiteral)
    }
    /// A request with a selection, whose rows decode to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    /// A request with a selection of several columns or expressions, whose rows decode to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    /// A request with a selection in SQL, whose rows decode to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }
    /// A request with a selection as a literal, whose rows decode to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }
    /// A request for primary keys.
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }
    /// A request with columns added to the selection.
    public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }
    /// A request with several columns added to the selection.
    public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }
    // Not `some`: Swift would type-check the bodies of closures against it for seconds.
    /// A request with a condition.
    public func filter(_ predicate: any SQLSpecificExpressible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }
    /// A request with a condition in SQL.
    public func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(sql: sql, arguments: arguments)
    }
    /// A request with a condition as a literal.
    public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(literal: sqlLiteral)
    }
    /// A request for the row with a primary key. For nil, it has no rows.
    @_disfavoredOverload
    public func filter(
        key: (some DatabaseValueConvertible)?, _: Relation.NoClosure = nil
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }
    /// A request for the rows with some primary keys.
    @_disfavoredOverload
    public func filter<Keys: Collection>(keys: Keys, _: Relation.NoClosure = nil) -> QueryInterfaceRequest<RowDecoder>
    where Keys.Element: DatabaseValueConvertible {
        all().filter(keys: keys)
    }
    /// A request for the row with a primary or unique key. For nil, it has no rows.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }
    /// A request for the rows with some primary or unique keys.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }
    /// A request with an order.
    public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }
    /// A request with an order of several terms.
    public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }
    /// A request with an order in SQL.
    public func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().order(sql: sql, arguments: arguments)
    }
    /// A request with an order as a literal.
    public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().order(literal: sqlLiteral)
    }
    /// A request ordered by primary key.
    public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> { all().orderByPrimaryKey() }
    /// A request with a limit and an optional offset.
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().limit(limit, offset: offset)
    }
    /// A request with an alias for its table.
    public func aliased<Aliased>(_ alias: TableAlias<Aliased>) -> QueryInterfaceRequest<RowDecoder> {
        all().aliased(alias)
    }
    /// A request with a common table expression.
    public func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> { all().with(cte) }

    /// The number of rows: `SELECT COUNT(*) FROM "player"`.
    public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

    /// Deletes all rows: `DELETE FROM "player"`.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

    /// Updates all rows: `Player.updateAll(db, [Column("score").set(to: 0)])`.
    ///
    /// - Returns: the number of updated rows.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
    /// Updates all rows, with several assignments.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
}

extension Table where RowDecoder: TableRecord {
    /// The type that closures receive. By default, the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// A request with a selection: `select { [$0.id, $0.name] }`.
    public func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }
    /// A request with one selected expression: `select(\.name)`.
    public func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }
    /// A request with a selection, whose rows decode to a type: `select({ [$0.id, $0.name] }, as: Row.self)`.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    /// A request with one selected expression, whose rows decode to a type: `select(\.name, as: String.self)`.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    /// A request with columns added to the selection: `annotated { [$0.score + 1] }`.
    public func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }
    /// A request with one column added to the selection.
    public func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }
    /// A request with a condition: `filter { $0.score > 1000 }`.
    public func filter(
        _ predicate: (DatabaseComponents) throws -> SQLExpression
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().filter(predicate)
    }
    /// A request with a condition of another type: a column, a literal, a subquery or an aggregate.
    @_disfavoredOverload
    public func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().filter(predicate)
    }

    /// A request with a Boolean column or expression as a condition: `filter { $0.isActive }`. Rows where it is NULL
    /// are excluded.
    @_disfavoredOverload
    public func filter<Condition: SQLTypedExpressible>(
        _ predicate: (DatabaseComponents) throws -> Condition
    ) rethrows -> QueryInterfaceRequest<RowDecoder> where Condition.Value: SQLCondition {
        try all().filter(predicate)
    }
    /// A request ordered by one term: `order(\.score.desc)`.
    public func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(ordering)
    }
    /// A request ordered by several terms: `order { [$0.score.desc, $0.name] }`.
    public func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(orderings)
    }
    /// Updates all rows, with one assignment: `Player.updateAll(db) { $0.score += 100 }`.
    ///
    /// - Returns: the number of updated rows.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }
    /// Updates all rows, with several assignments: `Player.updateAll(db) { [$0.score += 100, $0.bonus.set(to: 0)] }`.
    ///
    /// - Returns: the number of updated rows.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}

// Key paths with mistakes: see UnknownColumn.
extension Table where RowDecoder: TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func select(_ selection: KeyPath<UnknownColumn, UnknownColumn>) -> QueryInterfaceRequest<RowDecoder> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func select<T>(
        _ selection: KeyPath<UnknownColumn, UnknownColumn>, as type: T.Type
    ) -> QueryInterfaceRequest<T> { fatalError() }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func annotated(with selection: KeyPath<UnknownColumn, UnknownColumn>) -> QueryInterfaceRequest<RowDecoder> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func filter(_ predicate: KeyPath<UnknownColumn, UnknownColumn>) -> QueryInterfaceRequest<RowDecoder> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func order(_ ordering: KeyPath<UnknownColumn, UnknownColumn>) -> QueryInterfaceRequest<RowDecoder> {
        fatalError()
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// A request for the row with an id.
    public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> { all().filter(key: id.presentKey) }

    /// A request for the rows with some ids.
    @_disfavoredOverload
    public func filter<IDS: Collection>(ids: IDS, _: Relation.NoClosure = nil) -> QueryInterfaceRequest<RowDecoder>
    where IDS.Element == RowDecoder.ID {
        all().filter(keys: ids)
    }

    /// A request for ids.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { all().selectPrimaryKey(as: RowDecoder.ID.self) }
}
