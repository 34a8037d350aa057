// The names that a selection defines, and the terms that use them. When a query is transformed to select only its key,
// these names disappear, and a term that uses one would change its meaning.

extension Relation {
    /// The names that the selection gives to expressions other than the column with that name, and the names of the
    /// joined columns that belong to the row itself.
    package var selectedNames: Set<String> {
        var names = joins.reduce(into: Set<String>()) { $1.addNames(to: &$0) }
        for selection in selection {
            guard case .named(let expression, let name) = selection.node else { continue }
            if case .column(let column, .current) = expression.node, column.isSameDatabaseName(as: name) { continue }
            names.insert(name.foldedDatabaseName)
        }
        return names
    }
}

extension Join {
    fileprivate func addNames(to names: inout Set<String>) {
        for selection in annotation {
            switch selection.node {
            case .named(_, let name): names.insert(name.foldedDatabaseName)
            case .expression(let expression):
                if case .column(let name, .current) = expression.node { names.insert(name.foldedDatabaseName) }
            default: break
            }
        }
        guard !isIncluded else { return }
        for join in step.relation.joins { join.addNames(to: &names) }
    }
}

extension SQLExpression {
    /// The first of the names that the expression uses as a column of its own query.
    package func usedName(among names: Set<String>) -> String? {
        var used: String?
        let isUsed = contains { expression in
            switch expression.node {
            case .column(let name, .current), .column(let name, .none):
                guard names.contains(name.foldedDatabaseName) else { return .goOn }
                used = name
                return .found
            default: return .goOn
            }
        }
        return isUsed ? used : nil
    }

    /// Whether the expression uses any of the names, or contains SQL text, which may use them.
    package func mayUse(_ names: Set<String>) -> Bool {
        let hasText = contains { if case .literal = $0.node { .found } else { .goOn } }
        return hasText || usedName(among: names) != nil
    }
}

extension SQLOrdering {
    /// The first of the names that the term uses.
    package func usedName(among names: Set<String>) -> String? {
        guard case .expression(let expression, _) = node else { return nil }
        return expression.usedName(among: names)
    }
}
