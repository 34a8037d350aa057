// How the rows of a query divide in scopes: the columns of the query, counted in their order.

/// The columns of a row, then those of its scopes.
package struct RowShape: Sendable {
    /// Columns that stand side by side, in one scope.
    package struct Part: Sendable {
        package let scope: [String]
        /// nil if only the statement tells.
        package var columnCount: Int?
    }

    package var parts: [Part]
    /// The columns at the end that no row shows.
    package let hiddenCount: Int
}

extension Resolver {
    /// The shape of the rows of a query; nil if they show all columns.
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
