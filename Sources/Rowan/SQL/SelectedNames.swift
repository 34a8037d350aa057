// The names that a selection gives, and who uses them. A query that is made into another one, with its key as its only
// selection, loses them: a term that uses one would mean something else there.

extension Relation {
    /// The names that the selection gives to what is no column of that name.
    package var selectedNames: Set<String> {
        selection.reduce(into: []) { names, selection in
            guard case .named(let expression, let name) = selection.node else { return }
            if case .column(let column, .current) = expression.node, column.isSameDatabaseName(as: name) { return }
            names.insert(name.foldedDatabaseName)
        }
    }
}

extension SQLExpression {
    /// A name among those that the expression uses, as a column of its own query.
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

    /// Whether the expression uses some names, or has SQL text, which may use them.
    package func mayUse(_ names: Set<String>) -> Bool {
        let hasText = contains { if case .literal = $0.node { .found } else { .goOn } }
        return hasText || usedName(among: names) != nil
    }
}

extension SQLOrdering {
    /// A name among those that the term uses.
    package func usedName(among names: Set<String>) -> String? {
        guard case .expression(let expression, _) = node else { return nil }
        return expression.usedName(among: names)
    }
}
