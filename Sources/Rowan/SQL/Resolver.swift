// The resolver: the only step that asks the schema. It replaces the primary key, "all columns but some", and the
// clauses that wait for a connection. A relation without any of those comes back as it is, at no cost.

/// Replaces in queries what only the schema can explain.
package struct Resolver {
    let schema: any SchemaReader
    /// The table of the query that is being resolved.
    package var table: String?

    package init(_ schema: any SchemaReader) { self.schema = schema }

    package func resolve(_ relation: Relation) throws -> Relation {
        guard relation.isSymbolic else { return relation }
        var resolver = self
        resolver.table = relation.table
        var result = relation
        result.commonTables = try relation.commonTables.map { try resolver.resolve($0) }
        result.selection = try resolver.terms(relation.selection, resolver.resolve)
        result.filters = try resolver.terms(relation.filters) { [try resolver.expression($0)] }
        result.groups = try resolver.terms(relation.groups) { [try resolver.expression($0)] }
        result.havings = try resolver.terms(relation.havings) { [try resolver.expression($0)] }
        result.orderings = try resolver.terms(relation.orderings, resolver.resolve)
        let primaryKey = { try schema.primaryKeyColumns(ofTable: relation.table).map(Self.column) }
        if relation.groupsByPrimaryKey {
            result.groups += try primaryKey().map { .term($0) }
            result.groupsByPrimaryKey = false
        }
        if relation.isStablyOrdered {
            result.orderings += try primaryKey().map { .term(SQLOrdering(.expression($0, .none))) }
            result.isStablyOrdered = false
        }
        return result
    }

    package func resolve(_ table: CommonTable) throws -> CommonTable {
        var result = table
        result.query = try subquery(table.query)
        return result
    }

    package func resolve(_ selection: SQLSelection) throws -> [SQLSelection] {
        switch selection.node {
        case .expression(let e): [SQLSelection(.expression(try expression(e)))]
        case .named(let e, let name): [SQLSelection(.named(try expression(e), name))]
        case .literal(let l): [SQLSelection(.literal(try literal(l)))]
        case .allColumns: [selection]
        case .allColumnsExcluding(let excluded):
            try columns(excluding: Set(excluded.map(\.foldedDatabaseName)))
        case .primaryKey:
            try currentPrimaryKey().map { SQLSelection(.expression(Self.column($0))) }
        }
    }

    package func resolve(_ ordering: SQLOrdering) throws -> [SQLOrdering] {
        switch ordering.node {
        case .expression(let e, let direction): [SQLOrdering(.expression(try expression(e), direction))]
        case .literal(let l): [SQLOrdering(.literal(try literal(l)))]
        case .primaryKey(let direction):
            try currentPrimaryKey().map { SQLOrdering(.expression(Self.column($0), direction)) }
        }
    }

    private func terms<Term>(
        _ clauses: [Clause<Term>], _ resolve: (Term) throws -> [Term]
    ) throws -> [Clause<Term>] {
        try clauses.flatMap { clause -> [Clause<Term>] in
            switch clause {
            case .term(let term): try resolve(term).map { .term($0) }
            case .deferred(let deferred): try deferred.terms(schema).flatMap(resolve).map { .term($0) }
            }
        }
    }

    private func currentTable() throws -> String {
        guard let table else { throw ResolutionError.noTable }
        return table
    }

    private func currentPrimaryKey() throws -> [String] {
        try schema.primaryKeyColumns(ofTable: currentTable())
    }

    private func columns(excluding excluded: Set<String>) throws -> [SQLSelection] {
        try schema.columnNames(ofTable: currentTable())
            .filter { !excluded.contains($0.foldedDatabaseName) }
            .map { SQLSelection(.expression(Self.column($0))) }
    }

    private static func column(_ name: String) -> SQLExpression { SQLExpression(.column(name, .current)) }
}

extension Resolver: ExpressionTransform {
    package func expression(_ expression: SQLExpression) throws -> SQLExpression {
        guard expression.isSymbolic else { return expression }
        guard case .primaryKey(let values) = expression.node else { return try expression.mapChildren(self) }
        let columns = try currentPrimaryKey()
        guard columns.count == 1 else {
            throw ResolutionError.compositeKey(table: try currentTable(), columns: columns)
        }
        let column = Self.column(columns[0])
        return values.count == 1
            ? SQLExpression(.equal(column, SQLExpression(.value(values[0])), isNegated: false))
            : SQLExpression(
                .isIn(column, .expressions(values.map { SQLExpression(.value($0)) }), isNegated: false))
    }

    package func subquery(_ subquery: SQLSubquery) throws -> SQLSubquery {
        guard subquery.isSymbolic else { return subquery }
        switch subquery.content {
        case .literal(let l): return SQLSubquery(.literal(try literal(l)))
        case .relation(let relation): return SQLSubquery(.relation(try resolve(relation)))
        }
    }

    package func literal(_ literal: SQL) throws -> SQL {
        guard literal.isSymbolic else { return literal }
        return SQL(
            segments: try literal.segments.flatMap { segment -> [SQL.Segment] in
                switch segment {
                case .text: [segment]
                case .expression(let e): [.expression(try expression(e))]
                case .selection(let selection): try list(resolve(selection).map { .selection($0) })
                case .ordering(let ordering): try list(resolve(ordering).map { .ordering($0) })
                case .subquery(let query): [.subquery(try subquery(query))]
                case .cte(let table): [.cte(try resolve(table))]
                }
            })
    }

    private func list(_ segments: [SQL.Segment]) -> [SQL.Segment] {
        Array(segments.map { [$0] }.joined(separator: [.text(", ", StatementArguments())]))
    }
}

/// What the resolver can't resolve.
package enum ResolutionError: Error, CustomStringConvertible {
    case noTable
    case compositeKey(table: String, columns: [String])

    package var description: String {
        switch self {
        case .noTable:
            "this SQL needs a table to know its primary key or its columns"
        case .compositeKey(let table, let columns):
            "table \(table) has a primary key of \(columns.count) columns (\(columns.joined(separator: ", "))): "
                + "give a value to each, as in key: [\"\(columns[0])\": ...]"
        }
    }
}
