// Rows that joins repeat. A request that joins to-many associations has a row for each of the associated ones; with
// aggregates of associations it has each of its rows once, as the documented `GROUP BY` of aggregates makes it.

extension Relation {
    /// Whether joined associations repeat rows that have aggregates of associations: they are grouped by their key.
    package var repeatsAggregatedRows: Bool {
        guard hasAggregates, !joins.isEmpty, groups.isEmpty, !groupsByPrimaryKey,
            joins.contains(where: \.mayRepeatRows),
            // The rows of other requests make pairs: each is one.
            joins.allSatisfy(\.isAssociation)
        else { return false }
        return selection.allSatisfy { selection in
            switch selection.node {
            case .expression(let expression), .named(let expression, _): !expression.mayAggregate
            case .allColumns, .symbol(.allColumnsExcluding), .symbol(.primaryKey), .symbol(.nothing): true
            // What is not known yet may make one row of all.
            case .literal, .symbol(.deferred): false
            }
        }
    }
}

extension Join {
    fileprivate var isAssociation: Bool {
        switch step.condition {
        case .foreignKey, .columns, .first: true
        case .always, .expression: false
        }
    }

    /// Whether a row may be joined to several ones by an association.
    fileprivate var mayRepeatRows: Bool {
        if case .foreignKey(let link) = step.condition, !link.isToOne { return true }
        return isAssociation && step.relation.joins.contains(where: \.mayRepeatRows)
    }
}
