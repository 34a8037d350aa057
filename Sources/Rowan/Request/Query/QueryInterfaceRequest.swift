// The request of the query interface: a relation and the type that its rows decode to.

/// A request on a table, built in Swift.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "team" = ? ORDER BY "score" DESC LIMIT 10
/// let request = Player.filter { $0.team == "Reds" }.order(\.score.desc).limit(10)
/// let players = try request.fetchAll(db)
/// let count = try request.fetchCount(db)
/// ```
///
/// Article: <doc:FiltersAndOrders>.
public struct QueryInterfaceRequest<RowDecoder>: DerivableRequest, FetchRequest, Sendable {
    package private(set) var relation: Relation

    init(relation: Relation) { self.relation = relation }

    /// The name of the table, or of its substitute: a subquery or a function.
    public var databaseTableName: String { relation.source.name }

    /// The request as a subquery.
    public var sqlSubquery: SQLSubquery { SQLSubquery(.relation(relation)) }

    /// The request with a changed relation. Not for users.
    public consuming func _mapRelation(_ change: (inout Relation) -> Void) -> Self {
        change(&relation)
        return self
    }

    /// Returns the request with rows that decode to another type.
    public func asRequest<T>(of type: T.Type) -> QueryInterfaceRequest<T> {
        QueryInterfaceRequest<T>(relation: relation)
    }

    /// Limits the rows, with an optional offset: `LIMIT 10 OFFSET 20`. Replaces the previous limit.
    public consuming func limit(_ limit: Int, offset: Int? = nil) -> Self {
        _mapRelation { $0.limit = Relation.Limit(count: limit, offset: offset) }
    }

    // MARK: Selections of another type

    /// Replaces the selection and decodes rows to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        select(selection).asRequest(of: type)
    }

    /// Replaces the selection with several columns or expressions and decodes rows to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        select(selection, as: type)
    }

    /// Replaces the selection, in SQL, and decodes rows to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        select(literal: SQL(sql: sql, arguments: arguments), as: type)
    }

    /// Replaces the selection with a literal and decodes rows to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        select([sqlLiteral], as: type)
    }

    /// Selects the primary key and decodes it to a type.
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        select([SQLSelection(.symbol(.primaryKey))], as: type)
    }

    // MARK: Fetching

    /// Prepares the statement of the request.
    ///
    /// - Throws: a ``DatabaseError`` or a ``RequestError`` if the request has no valid SQL.
    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        let isLimited = !singleResult || relation.limit != nil || relation.hasOneRow
        if isLimited, let select = relation.plainSelect {
            return PreparedRequest(try db.use(select))
        }
        return try db.prepare {
            let resolver = Resolver(db)
            var query = try resolver.query(relation)
            if singleResult, relation.limit == nil, try !relation.hasOneRow && !resolver.hasOneRow(query.select) {
                query.select.limit = Relation.Limit(count: 1, offset: nil)
            }
            return query
        }
    }

    /// The number of rows that the request fetches.
    ///
    /// ```swift
    /// // SELECT COUNT(*) FROM "player" WHERE "team" = ?
    /// try Player.filter { $0.team == "Reds" }.fetchCount(db)
    /// // SELECT COUNT(*) FROM (SELECT DISTINCT "team" FROM "player")
    /// try Player.select(\.team).distinct().fetchCount(db)
    /// ```
    ///
    /// If a column is NOT NULL, its distinct values are counted without a subquery: `SELECT COUNT(DISTINCT "team")`.
    public func fetchCount(_ db: Database) throws -> Int {
        guard let counting = try relation.countingRelation(db) else { return try sqlSubquery.fetchCount(db) }
        let select = try Resolver(db).select(counting)
        return try db.fetchCount { $0.write(select) }
    }

    /// Whether the request returns no rows: the negation of `SELECT EXISTS (...)`.
    public func isEmpty(_ db: Database) throws -> Bool {
        let subquery = try Resolver(db).subquery(sqlSubquery)
        let use = try db.use { renderer in
            renderer.write("SELECT EXISTS (")
            renderer.write(subquery)
            renderer.write(")")
        }
        return try Bool.fetchOne(use.statement) == false
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// The type that closures receive. By default, the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Replaces the selection and decodes rows to a type: `select({ max($0.score) }, as: Int.self)`.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        select([try selection(RowDecoder.databaseComponents)], as: type)
    }

    /// Replaces the selection with one expression and decodes rows to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        select(try selection(RowDecoder.databaseComponents), as: type)
    }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable {
    /// Selects the ids.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { selectPrimaryKey(as: RowDecoder.ID.self) }
}

extension Relation {
    /// The relation that selects the number of rows of this one; nil if this requires a subquery.
    fileprivate func countingRelation(_ schema: any SchemaReader) throws -> Relation? {
        guard limit == nil, groups.isEmpty, havings.isEmpty, !groupsByPrimaryKey, !repeatsAggregatedRows else {
            return nil
        }
        var result = self
        result.unorder()
        result.isDistinct = false
        result.prefetches = []
        for index in result.joins.indices { result.joins[index].excludeAll() }
        if !isDistinct {
            guard selection.allSatisfy(\.isPlain), joins.allSatisfy(\.isPlain), !refersToItsSelection else {
                return nil
            }
            result.selection = [count(AllColumns()).sqlSelection]
            return result
        }
        // COUNT(DISTINCT a) ignores NULL, which is a distinct row.
        guard selection.count == 1, joins.isEmpty, case .table(let table) = source,
            case .expression(let expression) = selection[0].node,
            case .column(let column, .current) = expression.node,
            try schema.areNotNull([column], ofTable: table)
        else { return nil }
        result.selection = [count(distinct: expression).sqlSelection]
        return result
    }
}

extension Relation {
    /// Whether filters may use the names that the selection defines.
    private var refersToItsSelection: Bool {
        let names = selectedNames
        return !names.isEmpty && filters.contains { $0.mayUse(names) }
    }
}

extension Join {
    /// Whether selecting the joined rows keeps one row for each of them.
    fileprivate var isPlain: Bool {
        let relation = step.relation
        return (!isIncluded || relation.selection.allSatisfy(\.isPlain)) && annotation.allSatisfy(\.isPlain)
            && relation.joins.allSatisfy(\.isPlain)
    }
}

extension SQLSelection {
    /// Whether selecting keeps one row for each row: false for aggregates and for SQL text, which may contain one.
    fileprivate var isPlain: Bool {
        switch node {
        case .allColumns, .symbol(.allColumnsExcluding), .symbol(.columns), .symbol(.primaryKey), .symbol(.nothing):
            true
        case .expression(let expression), .named(let expression, _):
            if case .column = expression.node { true } else { false }
        case .literal, .symbol(.deferred): false
        }
    }
}
