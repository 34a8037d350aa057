// The request of the query interface: a relation, and the type that its rows decode into.

/// A request on a table, built in Swift.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "team" = ? ORDER BY "score" DESC LIMIT 10
/// let request = Player.filter { $0.team == "Reds" }.order(\.score.desc).limit(10)
/// let players = try request.fetchAll(db)
/// let count = try request.fetchCount(db)
/// ```
public struct QueryInterfaceRequest<RowDecoder>: DerivableRequest, FetchRequest, Sendable {
    package private(set) var relation: Relation

    init(relation: Relation) { self.relation = relation }

    /// The name of the table, or of what stands for one: a subquery, a function.
    public var databaseTableName: String { relation.source.name }

    public var sqlSubquery: SQLSubquery { SQLSubquery(.relation(relation)) }

    public consuming func _mapRelation(_ change: (inout Relation) -> Void) -> Self {
        change(&relation)
        return self
    }

    /// The same request, whose rows decode into another type.
    public func asRequest<T>(of type: T.Type) -> QueryInterfaceRequest<T> {
        QueryInterfaceRequest<T>(relation: relation)
    }

    /// At most `limit` rows, from an offset: `LIMIT 10 OFFSET 20`. It replaces the previous limit.
    public consuming func limit(_ limit: Int, offset: Int? = nil) -> Self {
        _mapRelation { $0.limit = Relation.Limit(count: limit, offset: offset) }
    }

    // MARK: Selections of another type

    /// The request with another selection, whose rows decode into a type.
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(_ selection: [any SQLSelectable], as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        select(selection).asRequest(of: type)
    }

    /// The request with another selection, whose rows decode into a type.
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        select(selection, as: type)
    }

    /// The request with a selection in SQL, whose rows decode into a type.
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
    ) -> QueryInterfaceRequest<T> {
        select(literal: SQL(sql: sql, arguments: arguments), as: type)
    }

    /// The request with a selection in SQL, whose rows decode into a type.
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(literal sqlLiteral: SQL, as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        select([sqlLiteral], as: type)
    }

    /// The request of primary keys.
    public func selectPrimaryKey<PrimaryKey>(
        as type: PrimaryKey.Type = PrimaryKey.self
    ) -> QueryInterfaceRequest<PrimaryKey> {
        select([SQLSelection(.symbol(.primaryKey))], as: type)
    }

    // MARK: Fetching

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        let isLimited = !singleResult || relation.limit != nil || relation.hasOneRow
        if isLimited, let select = relation.plainSelect {
            return PreparedRequest(reserving: try db.statement { $0.write(select) })
        }
        return try db.prepare {
            var query = try Resolver(db).query(relation)
            if singleResult, relation.limit == nil, !relation.hasOneRow {
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
    /// The values of a column that is NOT NULL are counted without a subquery: `SELECT COUNT(DISTINCT "team")`.
    public func fetchCount(_ db: Database) throws -> Int {
        guard let counting = try relation.countingRelation(db) else { return try sqlSubquery.fetchCount(db) }
        let select = try Resolver(db).select(counting)
        return try db.fetchCount { $0.write(select) }
    }

    /// Whether the request fetches no row: `SELECT NOT EXISTS (...)`.
    public func isEmpty(_ db: Database) throws -> Bool {
        let subquery = try Resolver(db).subquery(sqlSubquery)
        let statement = try db.statement { renderer in
            renderer.write("SELECT EXISTS (")
            renderer.write(subquery)
            renderer.write(")")
        }
        return try Bool.fetchOne(statement) == false
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The request with another selection, whose rows decode into a type: `select({ max($0.score) }, as: Int.self)`.
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        select([try selection(RowDecoder.databaseComponents)], as: type)
    }

    /// The request with another selection, whose rows decode into a type.
    @_disfavoredOverload  // an open T makes the chains of verbs after it slow to check
    public func select<T>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        select(try selection(RowDecoder.databaseComponents), as: type)
    }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable {
    /// The request of ids.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { selectPrimaryKey(as: RowDecoder.ID.self) }
}

extension Relation {
    /// The relation that selects the count of this one, or nil if only a subquery can.
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
        // COUNT(DISTINCT a) does not count NULL, which is a row.
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
    /// Whether filters may use the names that the selection gives.
    private var refersToItsSelection: Bool {
        let names = selectedNames
        return !names.isEmpty && filters.contains { $0.mayUse(names) }
    }
}

extension Join {
    /// Whether what is selected of the joined rows makes one row of each.
    fileprivate var isPlain: Bool {
        let relation = step.relation
        return (!isIncluded || relation.selection.allSatisfy(\.isPlain)) && annotation.allSatisfy(\.isPlain)
            && relation.joins.allSatisfy(\.isPlain)
    }
}

extension SQLSelection {
    /// Whether the selection makes one row of each row: an aggregate, or unknown SQL, may not.
    fileprivate var isPlain: Bool {
        switch node {
        case .allColumns, .symbol(.allColumnsExcluding), .symbol(.primaryKey), .symbol(.nothing): true
        case .expression(let expression), .named(let expression, _):
            if case .column = expression.node { true } else { false }
        case .literal, .symbol(.deferred): false
        }
    }
}
