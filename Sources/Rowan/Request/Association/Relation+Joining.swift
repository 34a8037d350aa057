// Joins a relation to another one, on any condition.

extension Relation {
    /// This relation joined to another one, and the key of the joined rows.
    ///
    /// - Parameters:
    ///   - first: an alias for the relation itself.
    ///   - alias: an alias for the other relation.
    func joining(
        _ other: Relation, _ kind: Join.Kind, _ key: String?, first: TableAliasID?, alias: TableAliasID,
        on condition: () throws -> (any SQLExpressible)?
    ) rethrows -> (relation: Relation, key: String) {
        let filters: Filters = kind == .right || kind == .full ? .moved : .kept
        // Earlier joins already have their scopes.
        var result = joins.contains(where: \.isIncluded) ? self : joinable(filters)
        if let first {
            if result.joins.contains(where: \.isIncluded) { result.refuseClauses(filters) }
            result.aliases.append(first)
        }
        var other = other.joinable(filters)
        other.aliases.append(alias)
        var name = key ?? other.source.name
        if key == nil {
            var number = 1
            while result.joins.contains(where: { $0.name == name }) {
                number += 1
                name = "\(other.source.name)\(number)"
            }
        }
        let expression = try condition()?.sqlExpression
        let step = AssociationStep(
            key: .fixed(name),
            // The condition uses the aliases of the requests themselves.
            condition: expression.map { .expression($0, origin: .next(), destination: .next()) } ?? .always,
            relation: other)
        var join = Join(kind, step, isIncluded: true)
        join.isRequest = true
        result.joins.append(join)
        return (result, name)
    }

    private enum Filters {
        case kept
        /// Filters move into a subquery: a condition on the rows of an outer join differs from a condition on its
        /// result.
        case moved
    }

    /// Makes the fetch fail if the relation needs a subquery, which its scopes can't leave.
    private mutating func refuseClauses(_ filters: Filters) {
        let hasMovedFilters = filters == .moved && (!self.filters.isEmpty || link != nil)
        let clause = unjoinableClause ?? (hasMovedFilters ? "filter(_:)" : nil)
        guard let clause else { return }
        let table = source.name
        self.filters.append(deferred { _ in throw RequestError.notJoinableWithScopes(table: table, clause: clause) })
    }

    /// The relation, as a subquery if it has clauses other than filters: a join would change their meaning.
    private func joinable(_ filters: Filters) -> Relation {
        let isPlain =
            !isDistinct && limit == nil && groups.isEmpty && havings.isEmpty && !groupsByPrimaryKey && link == nil
            && !repeatsAggregatedRows && (filters == .kept || self.filters.isEmpty && joins.isEmpty)
        guard !isPlain else { return self }
        // Both the clauses of the subquery and those of the joined query may refer to the user's aliases.
        var inner = self
        inner.prefetches = []
        var result = Relation(.subquery(SQLSubquery(.relation(inner)), name: source.name))
        (result.aliases, result.storage, result.prefetches) = (aliases, storage, prefetches)
        return result
    }
}
