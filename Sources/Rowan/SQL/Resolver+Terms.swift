// The terms of a relation, resolved: keys, aggregates, and values that are stored as the record of the column says.

extension Resolver: ExpressionTransform {
    package func expression(_ expression: SQLExpression) throws -> SQLExpression {
        guard expression.isSymbolic else { return expression }
        if case .primaryKey(let values) = expression.node { return try primaryKey(isIn: values) }
        if case .aggregate(let aggregate) = expression.node { return try resolve(aggregate) }
        if case .rowExists(let alias) = expression.node { return try rowExists(alias) }
        if case .tooDeep = expression.node { throw schema.error(forNesting: Int(expression.depth)) }
        if case .storable(let value) = expression.node { return SQLExpression(.value(value.databaseValue)) }
        // The negation of what an aggregate becomes may be simpler than that of the aggregate.
        if case .unary(.not, let operand) = expression.node { return try self.expression(operand).negated }
        return try stored(expression).mapChildren(self)
    }

    private func rowExists(_ alias: TableAliasID) throws -> SQLExpression {
        guard let source = sources[alias] else { throw ResolutionError.unknownAlias }
        return try exists(.alias(alias), source.source)
    }

    /// Whether the row of a table is there: its key is not NULL; for a view without key, one of its columns is not.
    func exists(_ table: TableReference, _ source: Source) throws -> SQLExpression {
        let columns = try key(of: source).map { [$0[0]] } ?? columnNames(of: source)
        return .joined(
            columns.map { SQLExpression(.equal(Self.column($0, table), .null, isNegated: true)) }, by: .or)
    }

    private func primaryKey(isIn values: [SQLExpression]) throws -> SQLExpression {
        guard let current else { throw ResolutionError.noTable }
        let columns = try primaryKey(of: current.source)
        guard columns.count == 1 else {
            throw ResolutionError.compositeKey(table: current.source.name, columns: columns)
        }
        let column = Self.column(columns[0])
        let comparison: SQLExpression.Node =
            values.count == 1
            ? .equal(column, values[0], isNegated: false) : .isIn(column, .expressions(values), isNegated: false)
        return try expression(SQLExpression(comparison))
    }

    /// An assignment, whose value is stored as the record does.
    package func resolve(_ assignment: ColumnAssignment) throws -> ColumnAssignment {
        guard let value = assignment.value else { return assignment }
        let stored = stored(value, like: Self.column(assignment.column))
        return ColumnAssignment(column: assignment.column, value: try expression(stored))
    }

    package func subquery(_ subquery: SQLSubquery) throws -> SQLSubquery {
        guard subquery.isSymbolic else { return subquery }
        switch subquery.content {
        case .literal(let l): return SQLSubquery(.literal(try literal(l)))
        case .relation(let relation): return SQLSubquery(.relation(try resolve(relation)))
        case .compound(let compound): return SQLSubquery(.compound(try resolve(compound)))
        }
    }

    package func resolve(_ compound: CompoundQuery) throws -> CompoundQuery {
        var result = compound
        result.first = try subquery(compound.first)
        result.others = try compound.others.map { .init($0.op, try subquery($0.query)) }
        result.orderings = try compound.orderings.flatMap(resolve)
        return result
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

/// What the resolver can't resolve: a mistake in a request, with what to do about it.
package enum ResolutionError: Error, CustomStringConvertible {
    case noTable
    case noPrimaryKey(String)
    case compositeKey(table: String, columns: [String])
    case noForeignKey(origin: String, destination: String, columns: [String]?)
    case ambiguousForeignKey(origin: String, destination: String, candidates: [[String]])
    case columnCount(table: String, columns: [String], referred: [String])
    case ambiguousKey(String)
    case notJoinable(key: String, clause: String)
    case notLinked(table: String, column: String)
    case aggregateOfGroups(key: String)
    case unknownAlias
    case aliasOfTwoTables(String)
    case ambiguousArgument(String)
    case tooDeep(levels: Int)

    package var description: String {
        switch self {
        case .noTable:
            "this SQL needs a table to know its primary key or its columns"
        case .noPrimaryKey(let name):
            "\(name) is not a table: it has no primary key"
        case .compositeKey(let table, let columns):
            "table \(table) has a primary key of \(columns.count) columns (\(columns.joined(separator: ", "))): "
                + "give a value to each, as in key: [\"\(columns[0])\": ...]"
        case .noForeignKey(let origin, let destination, nil):
            "the schema has no foreign key from table \(origin) to table \(destination): tell the columns of the "
                + "association, as in using: ForeignKey([\"\(destination)Id\"])"
        case .noForeignKey(let origin, let destination, let columns?):
            "the columns that \(origin)(\(columns.joined(separator: ", "))) refers to in table \(destination) are not "
                + "known: tell them, as in ForeignKey([...], to: [...])"
        case .ambiguousForeignKey(let origin, let destination, let candidates):
            "table \(origin) has several foreign keys to table \(destination): tell which one the association uses, "
                + "as in using: ForeignKey([\"\(candidates[0].joined(separator: "\", \""))\"]); candidates: "
                + candidates.map { "(\($0.joined(separator: ", ")))" }.joined(separator: " ")
        case .columnCount(let table, let columns, let referred):
            "the foreign key of table \(table) has \(columns.count) columns (\(columns.joined(separator: ", "))), and "
                + "refers to \(referred.count) (\(referred.joined(separator: ", ")))"
        case .ambiguousKey(let key):
            "two associations have the key \"\(key)\" in one request: rename one with forKey(_:)"
        case .notJoinable(let key, let clause):
            "association \"\(key)\" has a \(clause): it can only be used with including(all:)"
        case .notLinked(let table, let column):
            "the record has no value for column \(column) of table \(table), which the association needs"
        case .unknownAlias:
            "a table alias is used in a request that has no such alias: give it to a request with aliased(_:)"
        case .aliasOfTwoTables(let table):
            "a table alias stands for two tables in one request, one of them \(table): make an alias for each"
        case .ambiguousArgument(let name):
            "two parts of a request give different values to argument :\(name): give them different names"
        case .tooDeep(let levels):
            "an expression is nested too deeply: it has \(levels) levels, and \(SQLExpression.maximumDepth) is all that "
                + "the parser of SQLite takes. Write long chains with joined(operator:), and give parts of the expression "
                + "a name in a common table expression."
        case .aggregateOfGroups(let key):
            "association \"\(key)\" has groups, distinct or limited rows: only their count and isEmpty are known"
        }
    }
}
