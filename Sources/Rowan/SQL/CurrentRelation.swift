// What a relation is for the terms that stand in it.

/// The relation that unqualified columns belong to.
struct CurrentRelation {
    let storedSource: StoredSource
    var source: Source { storedSource.source }
    /// Whether the relation is limited to one row: a scan for the aggregates of one row is shorter than one for all.
    let isLimitedToOne: Bool
    /// The filter on one primary key, if there is one.
    let key: SQLExpression?
    /// Whether the row may be missing, by an outer join.
    let isOptional: Bool
    /// The alias that the user has given.
    let alias: TableAliasID?

    init(_ relation: Relation, isOptional: Bool) {
        self.isOptional = isOptional || relation.joins.contains { $0.kind == .right || $0.kind == .full }
        storedSource = relation.storedSource
        isLimitedToOne = relation.limit?.count == 1
        key = relation.oneKey
        alias = relation.aliases.first
    }
}

extension Resolver {
    /// A resolver for the terms of a relation.
    ///
    /// - Parameter isOptional: whether the row of the relation may be missing, by an outer join around it.
    package func terms(of relation: Relation, isOptional: Bool = false) -> TermResolver {
        var resolver = self
        resolver.learnAliases(of: relation)
        return TermResolver(resolver, in: CurrentRelation(relation, isOptional: isOptional))
    }

    private mutating func learnAliases(of relation: Relation) {
        for alias in relation.aliases { sources[alias] = relation.storedSource }
        for join in relation.joins { learnAliases(of: join.step.relation) }
    }
}
