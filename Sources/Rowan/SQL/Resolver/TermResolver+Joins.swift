// Resolves joins: each foreign key becomes pairs of columns.

/// A resolved join whose columns have no position in the row yet.
struct ResolvedJoin {
    let name: String
    let isIncluded: Bool
    /// The number of the source in its query.
    var number = 0
    var kind: Join.Kind
    var condition: ResolvedCondition
    var source: Source
    var aliases: [TableAliasID]
    var filters: [SQLExpression] = []
    var selection: [SQLSelection] = []
    /// The columns of the source that are added to the row.
    var annotation: [SQLSelection] = []
    var orderings: [SQLOrdering] = []
    var joins: [ResolvedJoin] = []
}

extension TermResolver {
    /// The joins of the current relation.
    ///
    /// - Parameter isInReverse: whether the order of the whole query is reversed.
    mutating func joins(of relation: Relation, isInReverse: Bool = false) throws -> [ResolvedJoin] {
        var names: Set<String> = []
        for join in relation.joins where !names.insert(join.name).inserted {
            throw RequestError.ambiguousKey(join.name)
        }
        let isReversed = relation.isReversed != isInReverse
        return try relation.joins.map { try self.join($0, from: relation.storedSource, isInReverse: isReversed) }
    }

    private mutating func join(
        _ join: Join, from origin: StoredSource, isInReverse: Bool
    ) throws -> ResolvedJoin {
        let relation = join.step.relation
        if let clause = relation.unjoinableClause {
            throw RequestError.notJoinable(key: join.step.key.name, clause: clause)
        }
        if join.kind == .right || join.kind == .full { try schema.requireSQLite(3_039_000, for: join.kind.rawValue) }
        let condition = try condition(join.step.condition, from: origin, to: relation.storedSource)
        // The condition of a join can't refer to tables on its right.
        var terms = resolver.correlated.terms(
            of: relation, isOptional: join.kind != .inner || current?.isOptional ?? false)
        var result = ResolvedJoin(
            name: join.name, isIncluded: join.isIncluded, kind: join.kind, condition: condition,
            source: try terms.source(relation.source), aliases: relation.aliases)
        result.filters = try terms.expressions(relation.filters)
        result.selection = try relation.selection.isEmpty ? SQLSelection.all : terms.selection(relation.selection)
        result.annotation = try terms.selection(join.annotation)
        result.orderings = try terms.orderings(of: relation, isInReverse: isInReverse)
        result.joins = try terms.joins(of: relation, isInReverse: isInReverse)
        result.aliases += terms.givenAliases
        return result
    }

    /// Joins a table of aggregates: `LEFT JOIN (SELECT key, COUNT(*), ... FROM ... GROUP BY key) ON ...`.
    func join(_ aggregates: DerivedAggregates) throws -> Select.JoinedTable {
        var terms = TermResolver(resolver.correlated, in: nil)
        return Select.JoinedTable(
            kind: .left, condition: .columns(aggregates.columns), source: try terms.source(aggregates.source),
            aliases: [aggregates.alias])
    }

    /// The condition, as columns or as an expression.
    mutating func condition(
        _ condition: JoinCondition, from origin: StoredSource, to destination: StoredSource
    ) throws -> ResolvedCondition {
        switch condition {
        case .always: return .always
        case .columns(let pairs): return .columns(pairs)
        case .foreignKey(let link):
            return .columns(try resolver.columns(of: link, from: origin.source, to: destination.source))
        case .expression(let expression, let originAlias, let alias):
            let expression = try withSources([originAlias: origin, alias: destination]) {
                try $0.expression(expression)
            }
            return .expression(expression, origin: originAlias, destination: alias)
        case .first(let path): return try resolver.first(of: path, from: origin)
        }
    }
}

extension Relation {
    /// The clause that prevents joining the relation, because it changes its rows.
    package var unjoinableClause: String? {
        if isDistinct { return "distinct()" }
        if limit != nil { return "limit(_:)" }
        if groupsByPrimaryKey || !groups.isEmpty { return "group(_:)" }
        return havings.isEmpty ? nil : "having(_:)"
    }
}
