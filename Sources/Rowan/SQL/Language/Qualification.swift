// Expressions on a table, rewritten for an alias of the table.

// Not `??`, which means IFNULL for expressions. The transformation never throws.

extension SQLExpression {
    /// The expression, with columns of an alias.
    package func qualified(by alias: TableAliasID) -> SQLExpression {
        var qualification = Qualification(alias: alias)
        do { return try qualification.expression(self) } catch { return self }
    }
}

extension SQLOrdering {
    /// The term, with columns of an alias.
    package func qualified(by alias: TableAliasID) -> SQLOrdering {
        var qualification = Qualification(alias: alias)
        do { return try qualification.orderings(self)[0] } catch { return self }
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

/// Qualifies the columns of the current table with an alias. A subquery has its own current table.
private struct Qualification: ExpressionTransform {
    let alias: TableAliasID

    mutating func expression(_ expression: SQLExpression) throws -> SQLExpression {
        switch expression.node {
        case .column(let name, .current):
            return SQLExpression(.column(name, .alias(alias)), isSymbolic: expression.isSymbolic, depth: 0)
        case .symbol(.fullText(let term, .current)): return SQLExpression(.symbol(.fullText(term, .alias(alias))))
        default: return try expression.mapChildren(&self)  // The other expressions refer to no table directly.
        }
    }

    func subquery(_ subquery: SQLSubquery) -> SQLSubquery { subquery }

    func literal(_ literal: SQL) throws -> SQL { literal }
}
