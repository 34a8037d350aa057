// What terms need to know about their relation.

/// The relation that unqualified columns belong to.
struct CurrentRelation {
    let storedSource: StoredSource
    var source: Source { storedSource.source }
    /// Whether the relation is limited to one row: then scanning for one row's aggregates is cheaper than scanning for
    /// all rows.
    let isLimitedToOne: Bool
    /// Whether the query computes the aggregates of all rows: filters, if any, depend on aggregates themselves.
    let isWhole: Bool
    /// Whether SQL text selects or orders the rows: a joined table would change what `*` and `rowid` mean.
    let isText: Bool
    /// The filter by a single primary key, if any.
    let key: SQLExpression?
    /// Whether an outer join can make the row missing.
    let isOptional: Bool
    /// The alias that the user gave.
    let alias: TableAliasID?

    init(_ relation: Relation, isOptional: Bool) {
        self.isOptional = isOptional || relation.joins.contains { $0.kind == .right || $0.kind == .full }
        storedSource = relation.storedSource
        isLimitedToOne = relation.limit?.count == 1
        isWhole =
            relation.limit == nil && relation.joins.allSatisfy { $0.kind == .left }
            && relation.filters.allSatisfy { $0.containsAssociatedValue && !$0.containsText }
        isText = relation.selection.contains(where: \.isText) || relation.orderings.contains(where: \.isText)
        key = relation.oneKey
        alias = relation.aliases.first
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

extension SQLExpression {
    /// Whether an aggregate of associated rows is part of the expression.
    fileprivate var containsAssociatedValue: Bool {
        contains { if case .symbol(.aggregate) = $0.node { .found } else { .goOn } }
    }

    /// Whether SQL text is part of the expression.
    var containsText: Bool {
        contains { if case .literal = $0.node { .found } else { .goOn } }
    }

    /// Whether a collation is part of the expression.
    var hasCollation: Bool {
        contains { if case .collated = $0.node { .found } else { .goOn } }
    }
}

extension SQLSelection {
    fileprivate var isText: Bool {
        switch node {
        case .literal: true
        case .expression(let expression), .named(let expression, _): expression.containsText
        case .allColumns, .symbol: false
        }
    }
}

extension SQLOrdering {
    fileprivate var isText: Bool {
        switch node {
        case .literal: true
        case .expression(let expression, _): expression.containsText
        case .symbol: false
        }
    }
}
