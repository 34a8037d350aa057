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
            message: "the schema of the database keeps changing while the request is prepared: try again")
    }

    /// - Returns: nil if the statement has other columns than the resolver has told.
    private func preparedRequest(_ query: ResolvedQuery) throws -> PreparedRequest? {
        let statement = try statement { $0.write(query.select) }
        var prepared = PreparedRequest(reserving: statement)
        let columnCount = statement.columnCount
        prepared.resolvedColumnCount = columnCount
        if var shape = query.shape {
            guard try shape.complete(columnCount - shape.hiddenCount) else { return nil }
            prepared.adapter = shape
            prepared.hiddenCount = shape.hiddenCount
        }
        prepared.prefetches = query.prefetches
        prepared.isWholeTable = !query.prefetches.isEmpty && query.select.isWholeTable
        return prepared
    }
}

extension RowShape: RowAdapter {
    package func mapping(of layout: ColumnLayout) -> RowMapping {
        var root = Ranges()
        var start = 0
        for part in parts {
            let end = start + (part.columnCount ?? 0)
            root.add(start..<end, at: part.scope[...])
            start = end
        }
        return root.mapping(of: layout)
    }

    /// Computes the number of columns that the schema did not tell: of one selection at most.
    ///
    /// - Returns: false if the columns that the schema told are not those of the statement.
    fileprivate mutating func complete(_ total: Int) throws -> Bool {
        let unknown = parts.indices.filter { parts[$0].columnCount == nil }
        guard unknown.count <= 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "the columns of \(unknown.count) selections in SQL can't be told from each other: select columns "
                    + "and expressions instead")
        }
        let missing = total - parts.reduce(0) { $0 + ($1.columnCount ?? 0) }
        guard let index = unknown.first else { return missing == 0 }
        parts[index].columnCount = missing
        return missing >= 0
    }
}

/// The columns of a scope, and those of the scopes in it.
private struct Ranges {
    /// nil for a scope that only holds others.
    private var own: Range<Int>?
    private var scopes: [String: Ranges] = [:]

    mutating func add(_ range: Range<Int>, at scope: ArraySlice<String>) {
        guard let name = scope.first else {
            // The columns of a scope stand side by side.
            own = (own?.lowerBound ?? range.lowerBound)..<range.upperBound
            return
        }
        scopes[name, default: Ranges()].add(range, at: scope.dropFirst())
    }

    func mapping(of layout: ColumnLayout) -> RowMapping {
        RowMapping(own ?? 0..<0, of: layout, scopes: scopes.mapValues { $0.mapping(of: layout) })
    }
}
