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
        if case .column(let name, .current) = expression.node { return SQLExpression(.column(name, .alias(alias))) }
        return try expression.mapChildren(&self)
    }

    func subquery(_ subquery: SQLSubquery) -> SQLSubquery { subquery }

    func literal(_ literal: SQL) throws -> SQL { literal }
}
