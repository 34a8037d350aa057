// Rows that joins repeat. Joining to-many associations repeats a row for each associated row. With association
// aggregates, each row must appear once, as documented for the `GROUP BY` of aggregates.

extension Relation {
    /// Whether joined associations repeat rows with association aggregates: such rows are grouped by their key.
    package var repeatsAggregatedRows: Bool {
        guard hasAggregates, !joins.isEmpty, groups.isEmpty, !groupsByPrimaryKey,
            joins.contains(where: \.mayRepeatRows),
            // Joining other requests produces pairs of rows, and each pair counts.
            joins.allSatisfy(\.isAssociation)
        else { return false }
        return selection.allSatisfy { selection in
            switch selection.node {
            case .expression(let expression), .named(let expression, _): !expression.mayAggregate
            case .allColumns, .symbol(.allColumnsExcluding), .symbol(.columns), .symbol(.primaryKey), .symbol(.nothing):
                true
            // Unknown terms may reduce all rows to one.
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

    /// Whether an association may join several rows to one row.
    fileprivate var mayRepeatRows: Bool {
        if case .foreignKey(let link) = step.condition, !link.isToOne { return true }
        return isAssociation && step.relation.joins.contains(where: \.mayRepeatRows)
    }
}
