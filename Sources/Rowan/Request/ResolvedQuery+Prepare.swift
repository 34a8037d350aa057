// A resolved query becomes a statement; its shape, an adapter of its rows.

extension Database {
    /// The statement of a resolved query, with the adapter of its rows and what is prefetched for them.
    func prepare(_ query: ResolvedQuery) throws -> PreparedRequest {
        let statement = try statement { $0.write(query.relation) }
        var prepared = PreparedRequest(statement: statement)
        if var shape = query.shape {
            try shape.complete(statement.columnCount - shape.hiddenCount)
            prepared.adapter = shape
            prepared.hiddenCount = shape.hiddenCount
        }
        prepared.prefetches = query.prefetches
        prepared.isWholeTable = !query.prefetches.isEmpty && query.relation.isWholeTable
        return prepared
    }
}

extension RowShape: RowAdapter {
    package func mapping(of layout: ColumnLayout) -> RowMapping {
        var start = 0
        return mapping(of: layout, &start)
    }

    private func mapping(of layout: ColumnLayout, _ start: inout Int) -> RowMapping {
        let range = start..<(start + (columnCount ?? 0))
        start = range.upperBound
        var scopes: [String: RowMapping] = [:]
        for scope in self.scopes { scopes[scope.name] = scope.shape.mapping(of: layout, &start) }
        return RowMapping(range, of: layout, scopes: scopes)
    }

    /// Computes the number of columns that the schema did not tell: of one selection at most.
    fileprivate mutating func complete(_ total: Int) throws {
        let unknown = unknownCount
        guard unknown <= 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the columns of \(unknown) selections in SQL can't be told from each other: select columns "
                    + "and expressions instead")
        }
        if unknown == 1 { fill(total - knownCount) }
    }

    private var unknownCount: Int { (columnCount == nil ? 1 : 0) + scopes.reduce(0) { $0 + $1.shape.unknownCount } }
    private var knownCount: Int { (columnCount ?? 0) + scopes.reduce(0) { $0 + $1.shape.knownCount } }

    private mutating func fill(_ count: Int) {
        if columnCount == nil { columnCount = count }
        for index in scopes.indices { scopes[index].shape.fill(count) }
    }
}
