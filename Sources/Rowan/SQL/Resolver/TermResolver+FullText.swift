// The arguments of the auxiliary functions of full-text tables.
// Sources: https://sqlite.org/fts5.html#_auxiliary_functions_, https://sqlite.org/fts3.html#snippet

extension TermResolver {
    func fullText(_ term: SQLExpression.FullTextTerm, of reference: TableReference) throws -> SQLExpression {
        let table = try fullTextTable(of: reference)
        switch term {
        case .table: return Resolver.column(table.name, reference)
        case .position(let column):
            let columns = try schema.columnNames(ofTable: table)
            guard let index = columns.firstIndex(where: column.isSameDatabaseName) else {
                throw RequestError.unknownColumn(table: table.name, column: column)
            }
            return SQLExpression(.constant(DatabaseValue(storage: .int64(Int64(index)))))
        }
    }

    private func fullTextTable(of reference: TableReference) throws -> TableName {
        let source: Source?
        switch reference {
        case .current, .none: source = current?.source
        case .alias(let alias):
            guard let known = resolver.sources[alias] else { throw RequestError.unknownAlias }
            source = known.source
        }
        guard case .table(let table) = source else { throw RequestError.noTable }
        return table
    }
}
