// Expressions of a table, as expressions of an alias of the table.

// Not `??`, which means IFNULL for expressions. The transformation throws no errors.

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

/// Qualifies the columns of the current table with an alias. A subquery has its own current table.
private struct Qualification: ExpressionTransform {
    let alias: TableAliasID

    mutating func expression(_ expression: SQLExpression) throws -> SQLExpression {
        switch expression.node {
        case .column(let name, .current): return SQLExpression(.column(name, .alias(alias)))
        case .symbol(.fullText(let term, .current)): return SQLExpression(.symbol(.fullText(term, .alias(alias))))
        default: return try expression.mapChildren(&self)  // The other expressions have no table of their own.
        }
    }

    func subquery(_ subquery: SQLSubquery) -> SQLSubquery { subquery }

    func literal(_ literal: SQL) throws -> SQL { literal }
}
