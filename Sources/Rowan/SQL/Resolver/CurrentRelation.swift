// The properties of a relation that its terms depend on.

/// The relation that unqualified columns belong to.
struct CurrentRelation {
    private let relation: Relation
    /// Whether an outer join can make the row missing.
    let isOptional: Bool

    init(_ relation: Relation, isOptional: Bool) {
        self.relation = relation
        self.isOptional = isOptional || relation.joins.contains { $0.kind == .right || $0.kind == .full }
    }

    var storedSource: StoredSource { relation.storedSource }
    var source: Source { relation.source }

    /// The alias given by the user.
    var alias: TableAliasID? { relation.aliases.first }

    /// The filter by a single primary key, if any.
    var key: SQLExpression? { relation.oneKey }

    /// Whether the relation is limited to one row: scanning for one row's aggregates is then cheaper than for those of
    /// all rows.
    var isLimitedToOne: Bool { relation.limit?.count == 1 }

    /// Whether the query computes the aggregates of all rows: any filters depend on aggregates themselves.
    var isWhole: Bool {
        relation.limit == nil && relation.joins.allSatisfy { $0.kind == .left }
            && relation.filters.allSatisfy {
                $0.contains(SQLExpression.findAssociatedValue) && !$0.contains(SQLExpression.findText)
            }
    }

    /// Whether the rows are selected or ordered by SQL text: a joined table would change the meaning of `*` and
    /// `rowid`.
    var isText: Bool {
        relation.selection.contains { $0.isLiteral || $0.contains(SQLExpression.findText) }
            || relation.orderings.contains { $0.isLiteral || $0.contains(SQLExpression.findText) }
    }
}

extension Resolver {
    /// A resolver for the terms of a relation.
    ///
    /// - Parameter isOptional: whether an outer join around the relation can make its row missing.
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
