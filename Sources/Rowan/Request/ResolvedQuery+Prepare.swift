// A resolved query becomes a statement; its shape, an adapter of its rows.

extension Database {
    /// The statement of a resolved query, with the adapter of its rows and what is prefetched for them.
    ///
    /// - Parameter resolve: resolves the query. It is called again if SQLite knows another schema than the resolver.
    /// - Throws: SQLITE_SCHEMA if they never agree.
    func prepare(_ resolve: () throws -> ResolvedQuery) throws -> PreparedRequest {
        if let prepared = try preparedRequest(resolve()) { return prepared }
        connection.schemaDidMove()
        if let prepared = try preparedRequest(resolve()) { return prepared }
        throw DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: "the schema of the database changes while the request is made: try again")
    }

    /// - Returns: nil if the statement has other columns than the resolver has told.
    private func preparedRequest(_ query: ResolvedQuery) throws -> PreparedRequest? {
        let statement = try statement { $0.write(query.relation) }
        var prepared = PreparedRequest(reserving: statement)
        let columnCount = statement.columnCount
        prepared.resolvedColumnCount = columnCount
        if var shape = query.shape {
            guard try shape.complete(columnCount - shape.hiddenCount) else { return nil }
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
    ///
    /// - Returns: false if the columns that the schema told are not those of the statement.
    fileprivate mutating func complete(_ total: Int) throws -> Bool {
        let unknown = unknownCount
        guard unknown <= 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the columns of \(unknown) selections in SQL can't be told from each other: select columns "
                    + "and expressions instead")
        }
        let missing = total - knownCount
        if unknown == 1 { fill(missing) }
        return unknown == 0 ? missing == 0 : missing >= 0
    }

    private var unknownCount: Int { (columnCount == nil ? 1 : 0) + scopes.reduce(0) { $0 + $1.shape.unknownCount } }
    private var knownCount: Int { (columnCount ?? 0) + scopes.reduce(0) { $0 + $1.shape.knownCount } }

    private mutating func fill(_ count: Int) {
        if columnCount == nil { columnCount = count }
        for index in scopes.indices { scopes[index].shape.fill(count) }
    }
}
