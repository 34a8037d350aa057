// Terms that stand for columns of the current relation: its primary key, or all of its columns with exceptions.

extension TermResolver {
    func currentPrimaryKey() throws -> [String] {
        guard let current else { throw RequestError.noTable }
        return try resolver.primaryKey(of: current.source)
    }

    /// The expressions that order otherwise equal rows: the primary key, or all selected columns of rows without one.
    /// SQL text is excluded, because it may select any number of columns.
    mutating func tieBreakers(of relation: Relation) throws -> [SQLExpression] {
        if try resolver.key(of: relation.source) != nil { return try currentPrimaryKey().map { Resolver.column($0) } }
        let terms = try relation.selection.isEmpty ? SQLSelection.all : selection(relation.selection)
        return try terms.flatMap { term -> [SQLExpression] in
            switch term.node {
            case .expression(let expression), .named(let expression, _): [expression]
            case .allColumns:
                try resolver.columnNames(of: relation.source, commonTables: relation.commonTables)
                    .map { Resolver.column($0) }
            case .literal, .symbol: []
            }
        }
    }

    mutating func primaryKey(isIn values: [SQLExpression]) throws -> SQLExpression {
        guard let current else { throw RequestError.noTable }
        let columns = try resolver.primaryKey(of: current.source)
        guard columns.count == 1 else {
            throw RequestError.compositeKey(table: current.source.name, columns: columns)
        }
        if values.isEmpty { return .value(.int64(0)) }
        let converts = current.storedSource.storage?.convertsValues ?? false
        let column = converts ? SQLExpression(convertingColumn: columns[0]) : Resolver.column(columns[0])
        let comparison: SQLExpression.Node =
            values.count == 1
            ? .equal(column, values[0], isNegated: false) : .isIn(column, .expressions(values), isNegated: false)
        return try expression(SQLExpression(comparison))
    }

    func columns(excluding excluded: Set<String>, of table: SQLSelection.QualifiedTable?) throws -> [SQLSelection] {
        guard let source = table.map({ Source.table($0.table) }) ?? current?.source else {
            throw RequestError.noTable
        }
        return try columns(of: source, table.map { .alias($0.alias) } ?? .current, excluding: excluded)
    }

    func columns(of alias: TableAliasID, excluding excluded: Set<String>) throws -> [SQLSelection] {
        guard let source = resolver.sources[alias] else { throw RequestError.unknownAlias }
        return try columns(of: source.source, .alias(alias), excluding: excluded)
    }

    private func columns(
        of source: Source, _ table: TableReference, excluding excluded: Set<String>
    ) throws -> [SQLSelection] {
        try resolver.columnNames(of: source)
            .filter { !excluded.contains($0.foldedDatabaseName) }
            .map { SQLSelection(.expression(Resolver.column($0, table))) }
    }

    /// Whether the row of a table exists: its key is not NULL. For a view without a key, whether any column is not
    /// NULL. The rowid would be more precise, but a join in parentheses hides the rowids of its tables.
    func exists(_ table: TableReference, _ source: Source) throws -> SQLExpression {
        let columns = try resolver.key(of: source).map { [$0[0]] } ?? resolver.columnNames(of: source)
        return .joined(
            columns.map { SQLExpression(.equal(Resolver.column($0, table), .null, isNegated: true)) }, by: .or)
    }
}
