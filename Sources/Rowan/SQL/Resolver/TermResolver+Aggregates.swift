// The plan of aggregates depends on the schema. If indexes lead from a row to its associated rows, each aggregate is a
// correlated subquery, which reads only those rows. Otherwise a subquery would scan the table for each row, so a single
// scan groups the table by origin, and is joined. For the row of a key, that scan reads only the row's associated rows.
// For the first of many rows, the scan of a subquery is cheaper. Groups must compare their keys as the rows of the origin
// do: 1 and '1' are two groups of a column without type, and both equal an integer.

extension TermResolver {
    mutating func aggregate(_ value: AssociatedValue) throws -> SQLExpression {
        guard let current else { throw RequestError.noTable }
        var value = value
        value.path.last.relation = try resolver.independentOfSelection(value.path.last.relation)
        if try isJoined(value, to: current) {
            let resolver = resolver
            return try self.value(of: value, in: resolver.derivedTable(of: value.path, current))
        }
        let alias = alias(of: current)
        let rows = try resolver.relation(of: value.path.steps[...], from: current.storedSource, alias)
        let result = try expression(resolver.aggregate(value.function, of: rows, key: value.path.last.key))
        guard current.isOptional, value.function.isKnownOfNoRow else { return result }
        // If a row is missing, its aggregate is NULL, like all of its columns.
        return CaseExpression().when(try exists(.current, current.source), then: result).sqlExpression
    }

    /// Whether an aggregate becomes a column of a joined table.
    private func isJoined(_ value: AssociatedValue, to current: CurrentRelation) throws -> Bool {
        guard resolver.aggregates == .joined, !current.isLimitedToOne, !current.isOptional, value.path.isGroupable,
            try resolver.key(of: value.path.last.relation.source) != nil
        else { return false }
        return try !resolver.isIndexed(value.path, current.storedSource)
            && resolver.groupsLikeOrigin(value.path, current.storedSource) && !refersToOuterRows(value)
    }

    /// Whether an aggregate refers to rows of an outer query: a derived table can't access them.
    private func refersToOuterRows(_ value: AssociatedValue) throws -> Bool {
        var search = AliasSearch()
        try search.visit(value)
        return search.aliases.contains { resolver.sources[$0] != nil }
    }
}

extension Resolver {
    fileprivate func aggregate(
        _ function: AssociatedValue.Function, of associated: Relation, key: AssociationKey
    ) throws -> SQLExpression {
        var rows = associated
        rows.prefetches = []
        if rows.limit == nil { rows.unorder() }
        if function == .isEmpty {
            rows.selectOne()
            return SQLExpression(.exists(SQLSubquery(.relation(rows)), isNegated: true))
        }
        if rows.isDistinct || rows.limit != nil || !rows.groups.isEmpty || rows.groupsByPrimaryKey {
            guard function == .count else { throw RequestError.aggregateOfGroups(key: key.name) }
            rows = Relation(.subquery(SQLSubquery(.relation(rows)), name: "rows"))
        } else if !rows.joins.isEmpty {
            rows = try rowsOnce(rows)
        }
        let call: SQLExpression.FunctionCall =
            switch function {
            case .count, .isEmpty: .countOfRows
            case .call(let function, let argument): .init(function, argument)
            }
        rows.selection = [SQLSelection(.expression(SQLExpression(.function(call))))]
        return SQLExpression(.subquery(SQLSubquery(.relation(rows))))
    }

    /// The rows of a relation with joins, without the duplicates that joins may create.
    private func rowsOnce(_ relation: Relation) throws -> Relation {
        let columns = try rowKey(of: relation.source)
        let alias = relation.aliases.first ?? .given()
        var rows = relation
        if relation.aliases.isEmpty { rows.aliases = [alias] }
        rows.selection = columns.map { SQLSelection(.expression(Self.column($0))) }
        for index in rows.joins.indices { rows.joins[index].excludeAll() }
        var result = Relation(relation.source)
        result.storage = relation.storage
        result.filters = [
            SQLExpression(
                .isIn(Self.tuple(columns, .current), .subquery(SQLSubquery(.relation(rows))), isNegated: false))
        ]
        return result
    }

    fileprivate func derivedTable(of path: AssociationPath, _ current: CurrentRelation) throws -> DerivedAggregates {
        var inverse = try inverse(of: path, from: current.storedSource)
        if let key = current.key {
            let table: TableReference = inverse.isDirect(path) ? .current : .alias(inverse.alias)
            var origin = Relation(
                current.source, storage: current.storedSource.storage,
                selection: inverse.columns.map {
                    SQLSelection(.expression(Self.column($0.origin)))
                })
            origin.filters = [key]
            inverse.relation.filters.append(
                SQLExpression(
                    .equal(
                        Self.tuple(inverse.columns.map(\.destination), table),
                        SQLExpression(.subquery(SQLSubquery(.relation(origin)))), isNegated: false)))
        }
        return DerivedAggregates(
            path: path, inverse: inverse, rowKey: try rowKey(of: path.last.relation.source))
    }

    /// Whether associated rows that belong to the same row of the origin have equal keys.
    fileprivate func groupsLikeOrigin(_ path: AssociationPath, _ origin: StoredSource) throws -> Bool {
        guard let step = path.steps.first, case .table(let associated) = step.relation.source,
            case .table(let table) = origin.source,
            case .columns(let pairs) = try condition(step.condition, from: origin, to: step.relation.storedSource)
        else { return true }
        return try schema.compareAlike(pairs, origin: table, destination: associated)
    }

    /// Whether indexes lead from a row of the origin to its associated rows.
    fileprivate func isIndexed(_ path: AssociationPath, _ origin: StoredSource) throws -> Bool {
        var source = origin
        for step in path.steps {
            guard case .table(let table) = step.relation.source else { return false }
            guard case .columns(let pairs) = try condition(step.condition, from: source, to: step.relation.storedSource)
            else {
                // A condition of the user: SQLite plans it best in place.
                return true
            }
            guard try schema.isIndexed(table, columns: pairs.map(\.destination)) else { return false }
            source = step.relation.storedSource
        }
        return true
    }
}

extension AssociatedValue.Function {
    /// Whether the aggregate of no rows is a value other than NULL.
    fileprivate var isKnownOfNoRow: Bool {
        switch self {
        case .count, .isEmpty: true
        case .call(let function, _): function == .total
        }
    }
}

extension AssociationPath {
    /// Whether the rows can be grouped by their origin.
    fileprivate var isGroupable: Bool {
        let relation = last.relation
        return !relation.isDistinct && relation.limit == nil && relation.groups.isEmpty
            && !relation.groupsByPrimaryKey && relation.havings.isEmpty
            && steps.allSatisfy { if case .table = $0.relation.source { true } else { false } }
    }
}

extension Relation {
    package mutating func unorder() {
        orderings = []
        isReversed = false
        isStablyOrdered = false
        for index in joins.indices { joins[index].step.relation.unorder() }
    }

    /// `SELECT 1`
    fileprivate mutating func selectOne() {
        selection = [SQLSelection(.literal(SQL(sql: "1")))]
        for index in joins.indices { joins[index].excludeAll() }
    }
}

extension Join {
    /// Keeps joins only as conditions: no column of the joined rows is selected.
    package mutating func excludeAll() {
        isIncluded = false
        annotation = []
        step.relation.prefetches = []
        for index in step.relation.joins.indices { step.relation.joins[index].excludeAll() }
    }
}
