// Turns a resolved query into a statement, and its shape into an adapter of the rows.

extension Database {
    /// The statement of a resolved query, with the adapter of its rows, and its prefetches.
    ///
    /// - Parameter resolve: resolves the query. It is called again if SQLite and the resolver use different schemas.
    /// - Throws: SQLITE_SCHEMA if their schemas keep differing.
    func prepare(_ resolve: () throws -> ResolvedQuery) throws -> PreparedRequest {
        try SchemaMoved.retrying { try preparedRequest(resolve()) }
    }

    /// Checks out the statement of a query, with its arguments.
    func use(_ select: Select) throws -> StatementUse {
        let use = try use { $0.write(select) }
        if connection.isRecordingReads { use.statement.rowRestriction = try rowRestriction(select, use.statement) }
        return use
    }

    /// - Throws: `SchemaMoved` if the columns of the statement differ from those that the resolver has determined.
    private func preparedRequest(_ query: ResolvedQuery) throws -> PreparedRequest {
        var prepared = PreparedRequest(try use(query.select))
        let columnCount = prepared.statement.columnCount
        prepared.resolvedColumnCount = columnCount
        if var shape = query.shape {
            guard try shape.complete(columnCount - shape.hiddenCount) else {
                connection.schemaDidMove()
                throw SchemaMoved()
            }
            prepared.adapter = shape
            prepared.hiddenCount = shape.hiddenCount
        }
        prepared.prefetches = query.prefetches
        prepared.isWholeTable = !query.prefetches.isEmpty && query.select.isWholeTable
        return prepared
    }
}

extension RowShape: RowAdapter {
    package func layout(of columns: ColumnLayout) -> ColumnLayout {
        var root = Ranges()
        var start = 0
        for part in parts {
            let end = start + (part.columnCount ?? 0)
            root.add(start..<end, at: part.scope[...])
            start = end
        }
        return root.layout(of: columns)
    }

    /// Computes the number of columns that the schema does not define, for at most one selection.
    ///
    /// - Returns: false if the columns of the statement differ from those of the schema.
    fileprivate mutating func complete(_ total: Int) throws -> Bool {
        let unknown = parts.indices.filter { parts[$0].columnCount == nil }
        guard unknown.count <= 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "the columns of \(unknown.count) selections in SQL can't be separated: select columns "
                    + "and expressions instead")
        }
        let missing = total - parts.reduce(0) { $0 + ($1.columnCount ?? 0) }
        guard let index = unknown.first else { return missing == 0 }
        parts[index].columnCount = missing
        return missing >= 0
    }
}

/// The columns of a scope and of its nested scopes.
private struct Ranges {
    /// The columns of the scope itself; nil for a scope that only contains others.
    private var own: Range<Int>?
    private var scopes: [String: Ranges] = [:]

    mutating func add(_ range: Range<Int>, at scope: ArraySlice<String>) {
        guard let name = scope.first else {
            // The columns of a scope are adjacent.
            own = (own?.lowerBound ?? range.lowerBound)..<range.upperBound
            return
        }
        scopes[name, default: Ranges()].add(range, at: scope.dropFirst())
    }

    @inline(never)  // Recursive: inlined into itself, it has 30 kB.
    func layout(of columns: ColumnLayout) -> ColumnLayout {
        ColumnLayout(own ?? 0..<0, of: columns, scopes: scopes.mapValues { $0.layout(of: columns) })
    }
}
