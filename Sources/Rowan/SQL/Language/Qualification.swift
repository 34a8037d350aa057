// Expressions on a table, rewritten for an alias of the table.

extension SQLExpression {
    /// The expression, with columns of an alias.
    package func qualified(by alias: TableAliasID) -> SQLExpression {
        replacing { expression in
            switch expression.node {
            case .column(let name, .current):
                SQLExpression(.column(name, .alias(alias)), isSymbolic: expression.isSymbolic, depth: 0)
            case .symbol(.fullText(let term, .current)): SQLExpression(.symbol(.fullText(term, .alias(alias))))
            default: nil  // The other expressions refer to no table directly.
            }
        }
    }
}

extension SQLOrdering {
    /// The term, with columns of an alias.
    package func qualified(by alias: TableAliasID) -> SQLOrdering {
        switch node {
        case .expression(let expression, let direction):
            SQLOrdering(.expression(expression.qualified(by: alias), direction))
        case .literal, .symbol: self
        }
    }
}

extension SQLSelection {
    /// The selection, with columns of an alias. SQL text doesn't change.
    package func qualified(by alias: TableAliasID) -> SQLSelection {
        switch node {
        case .expression(let expression): SQLSelection(.expression(expression.qualified(by: alias)))
        case .named(let expression, let name): SQLSelection(.named(expression.qualified(by: alias), name))
        case .allColumns(nil): SQLSelection(.symbol(.columns(of: alias)))
        case .symbol(.allColumnsExcluding(let excluded, nil)):
            SQLSelection(.symbol(.columns(of: alias, excluding: excluded)))
        case .symbol(.deferred(let deferred)):
            SQLSelection(.symbol(.deferred(Deferred { try deferred.terms($0).map { $0.qualified(by: alias) } })))
        case .literal, .allColumns, .symbol(.allColumnsExcluding), .symbol(.columns), .symbol(.primaryKey),
            .symbol(.nothing):
            self
        }
    }
}
