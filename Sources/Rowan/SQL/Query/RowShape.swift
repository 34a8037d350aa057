// The division of a query's rows into scopes, by the number of columns.

/// The columns of a row, followed by those of its scopes.
package struct RowShape: Sendable {
    /// Adjacent columns of one scope.
    package struct Part: Sendable {
        package let scope: [String]
        /// The number of columns; nil if it depends on the prepared statement.
        package var columnCount: Int?
    }

    package var parts: [Part]
    /// The number of trailing columns that are hidden in rows.
    package let hiddenCount: Int
}

extension Resolver {
    /// The shape of the rows of a query; nil if all columns are shown.
    func shape(of select: Select) throws -> RowShape? {
        let hiddenCount = select.hiddenSelection.count
        guard hiddenCount > 0 || select.joinedColumns.contains(where: { !$0.scope.isEmpty }) else { return nil }
        let sources = select.sources
        let own = try columnCount(of: select.selection, sources[0], select.commonTables)
        let joined = try select.joinedColumns.map { columns in
            RowShape.Part(
                scope: columns.scope,
                columnCount: try columnCount(of: columns.selection, sources[columns.source], select.commonTables))
        }
        return RowShape(parts: [.init(scope: [], columnCount: own)] + joined, hiddenCount: hiddenCount)
    }

    private func columnCount(
        of selection: [SQLSelection], _ source: Source, _ commonTables: [CommonTable]
    ) throws -> Int? {
        var count = 0
        for term in selection {
            switch term.node {
            case .expression, .named: count += 1
            case .allColumns(nil): count += try columnNames(of: source, commonTables: commonTables).count
            case .literal, .allColumns, .symbol: return nil
            }
        }
        return count
    }
}
