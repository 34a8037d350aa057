// Terms that stand for columns of the current relation: its primary key, or all of its columns except some.

extension TermResolver {
    func currentPrimaryKey() throws -> [String] {
        guard let current else { throw RequestError.noTable }
        return try resolver.primaryKey(of: current.source)
    }

    mutating func primaryKey(isIn values: [SQLExpression]) throws -> SQLExpression {
        guard let current else { throw RequestError.noTable }
        let columns = try resolver.primaryKey(of: current.source)
        guard columns.count == 1 else {
            throw RequestError.compositeKey(table: current.source.name, columns: columns)
        }
        if values.isEmpty { return .value(.int64(0)) }
        let column = Resolver.column(columns[0])
        let comparison: SQLExpression.Node =
            values.count == 1
            ? .equal(column, values[0], isNegated: false) : .isIn(column, .expressions(values), isNegated: false)
        return try expression(SQLExpression(comparison))
    }

    func columns(excluding excluded: Set<String>, of table: SQLSelection.QualifiedTable?) throws -> [SQLSelection] {
        guard let source = table.map({ Source.table($0.table) }) ?? current?.source else {
            throw RequestError.noTable
        }
        let reference = table.map { TableReference.alias($0.alias) } ?? .current
        return try resolver.columnNames(of: source)
            .filter { !excluded.contains($0.foldedDatabaseName) }
            .map { SQLSelection(.expression(Resolver.column($0, reference))) }
    }

    /// Whether the row of a table exists: its rowid, or its key, is not NULL. For a view without a key, whether any
    /// column is not NULL.
    func exists(_ table: TableReference, _ source: Source) throws -> SQLExpression {
        let hasKey = try resolver.key(of: source) != nil
        let columns = try hasKey ? [resolver.rowKey(of: source)[0]] : resolver.columnNames(of: source)
        return .joined(
            columns.map { SQLExpression(.equal(Resolver.column($0, table), .null, isNegated: true)) }, by: .or)
    }
}
