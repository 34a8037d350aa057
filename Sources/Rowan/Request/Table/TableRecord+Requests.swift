// Derived from Table+Requests.swift by Scripts/starts: change that file, and run the script.

extension TableRecord {
    /// A request without rows.
    public static func none() -> QueryInterfaceRequest<Self> { all().none() }

    /// A request with a condition that Swift evaluates: all rows or none.
    @_disfavoredOverload  // the comparison of two terms should be SQL
    public static func filter(_ condition: Bool) -> QueryInterfaceRequest<Self> { all().filter(condition) }

    /// A request with a selection.
    public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }
    /// A request with a selection of several columns or expressions.
    public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }
    /// A request with a selection in SQL.
    public static func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().select(sql: sql, arguments: arguments)
    }
    /// A request with a selection as a literal.
    public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().select(literal: sqlLiteral)
    }
    /// A request with a selection, whose rows decode to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public static func select<T>(
        _ selection: [any SQLSelectable], as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    /// A request with a selection of several columns or expressions, whose rows decode to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public static func select<T>(
        _ selection: any SQLSelectable..., as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(selection, as: type)
    }
    /// A request with a selection in SQL, whose rows decode to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public static func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        all().select(sql: sql, arguments: arguments, as: type)
    }
    /// A request with a selection as a literal, whose rows decode to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public static func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        all().select(literal: sqlLiteral, as: type)
    }
    /// A request for primary keys.
    public static func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        all().selectPrimaryKey(as: type)
    }
    /// A request with columns added to the selection.
    public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }
    /// A request with several columns added to the selection.
    public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }
    // Not `some`: Swift would type-check the bodies of closures against it for seconds.
    /// A request with a condition.
    public static func filter(_ predicate: any SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }
    /// A request with a condition in SQL.
    public static func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().filter(sql: sql, arguments: arguments)
    }
    /// A request with a condition as a literal.
    public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().filter(literal: sqlLiteral)
    }
    /// A request for the row with a primary key. For nil, it has no rows.
    @_disfavoredOverload
    public static func filter(
        key: (some DatabaseValueConvertible)?, _: Relation.NoClosure = nil
    ) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }
    /// A request for the rows with some primary keys.
    @_disfavoredOverload
    public static func filter<Keys: Collection>(keys: Keys, _: Relation.NoClosure = nil) -> QueryInterfaceRequest<Self>
    where Keys.Element: DatabaseValueConvertible {
        all().filter(keys: keys)
    }
    /// A request for the row with a primary or unique key. For nil, it has no rows.
    public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }
    /// A request for the rows with some primary or unique keys.
    public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }
    /// A request with an order.
    public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }
    /// A request with an order of several terms.
    public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }
    /// A request with an order in SQL.
    public static func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().order(sql: sql, arguments: arguments)
    }
    /// A request with an order as a literal.
    public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
        all().order(literal: sqlLiteral)
    }
    /// A request ordered by primary key.
    public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> { all().orderByPrimaryKey() }
    /// A request with a limit and an optional offset.
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        all().limit(limit, offset: offset)
    }
    /// A request with an alias for its table.
    public static func aliased<Aliased>(_ alias: TableAlias<Aliased>) -> QueryInterfaceRequest<Self> {
        all().aliased(alias)
    }
    /// A request with a common table expression.
    public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> { all().with(cte) }

    /// The number of rows: `SELECT COUNT(*) FROM "player"`.
    public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

    /// Deletes all rows: `DELETE FROM "player"`.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

    /// Updates all rows: `Player.updateAll(db, [Column("score").set(to: 0)])`.
    ///
    /// - Returns: the number of updated rows.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
    /// Updates all rows, with several assignments.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments)
    }
}

extension TableRecord {
    /// A request with a selection: `select { [$0.id, $0.name] }`.
    public static func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }
    /// A request with one selected expression: `select(\.name)`.
    public static func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }
    /// A request with a selection, whose rows decode to a type: `select({ [$0.id, $0.name] }, as: Row.self)`.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    /// A request with one selected expression, whose rows decode to a type: `select(\.name, as: String.self)`.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public static func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try all().select(selection, as: type)
    }
    /// A request with columns added to the selection: `annotated { [$0.score + 1] }`.
    public static func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }
    /// A request with one column added to the selection.
    public static func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }
    /// A request with a condition: `filter { $0.score > 1000 }`.
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> SQLExpression
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }
    /// A request with a condition of another type: a column, a literal, a subquery or an aggregate.
    @_disfavoredOverload
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }

    /// A request with a Boolean column or expression as a condition: `filter { $0.isActive }`. Rows where it is NULL
    /// are excluded.
    @_disfavoredOverload
    public static func filter<Condition: SQLTypedExpressible>(
        _ predicate: (DatabaseComponents) throws -> Condition
    ) rethrows -> QueryInterfaceRequest<Self> where Condition.Value: SQLCondition {
        try all().filter(predicate)
    }
    /// A request ordered by one term: `order(\.score.desc)`.
    public static func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(ordering)
    }
    /// A request ordered by several terms: `order { [$0.score.desc, $0.name] }`.
    public static func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(orderings)
    }
    /// Updates all rows, with one assignment: `Player.updateAll(db) { $0.score += 100 }`.
    ///
    /// - Returns: the number of updated rows.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
    }
    /// Updates all rows, with several assignments: `Player.updateAll(db) { [$0.score += 100, $0.bonus.set(to: 0)] }`.
    ///
    /// - Returns: the number of updated rows.
    @discardableResult
    public static func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
    }
}

// Key paths with mistakes: see UnknownColumn.
extension TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public static func select(_ selection: KeyPath<UnknownColumn, UnknownColumn>) -> QueryInterfaceRequest<Self> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public static func select<T>(
        _ selection: KeyPath<UnknownColumn, UnknownColumn>, as type: T.Type
    ) -> QueryInterfaceRequest<T> { fatalError() }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public static func annotated(with selection: KeyPath<UnknownColumn, UnknownColumn>) -> QueryInterfaceRequest<Self> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public static func filter(_ predicate: KeyPath<UnknownColumn, UnknownColumn>) -> QueryInterfaceRequest<Self> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public static func order(_ ordering: KeyPath<UnknownColumn, UnknownColumn>) -> QueryInterfaceRequest<Self> {
        fatalError()
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// A request for the row with an id.
    public static func filter(id: ID) -> QueryInterfaceRequest<Self> { all().filter(key: id.presentKey) }

    /// A request for the rows with some ids.
    @_disfavoredOverload
    public static func filter<IDS: Collection>(ids: IDS, _: Relation.NoClosure = nil) -> QueryInterfaceRequest<Self>
    where IDS.Element == ID {
        all().filter(keys: ids)
    }

    /// A request for ids.
    public static func selectID() -> QueryInterfaceRequest<ID> { all().selectPrimaryKey(as: ID.self) }
}
