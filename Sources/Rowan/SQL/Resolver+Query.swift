// A query that is about to run: beside the statement, how its rows divide in scopes, and which rows are prefetched.

/// A resolved query, and what its rows mean.
package struct ResolvedQuery {
    package var relation: Relation
    /// How rows divide in scopes, nil if they show all columns.
    package var shape: RowShape?
    package var prefetches: [ResolvedPrefetch] = []
}

/// The columns of a row, then those of its scopes.
package struct RowShape: Sendable {
    /// nil if only the statement tells.
    package var columnCount: Int?
    package var scopes: [(name: String, shape: RowShape)] = []
    /// The columns at the end that no row shows.
    package var hiddenCount = 0
}

/// Where a query has a column that prefetched rows need.
package enum KeyColumn: Hashable, Sendable {
    case column(Int)
    case hidden(Int)
}

/// Rows that are fetched by a query of their own, for all the rows of a query.
package struct ResolvedPrefetch {
    package var name: String
    /// The scopes that lead to the row that the prefetched rows belong to.
    package var scope: [String]
    /// The columns that tell, in the rows of the query, which prefetched rows they have.
    package var key: [KeyColumn]
    /// The query of the prefetched rows, without the filter by key.
    package var relation: Relation
    /// The columns of the key in the prefetched rows, to filter by, and where they are selected.
    package var filter: SQLExpression
    package var rowKey: [KeyColumn]
    /// Whether each row of the query belongs to a row of the origin's table, as the schema says: when the origin is the
    /// whole table, no filter by key is needed.
    package var belongsToTable: Bool
}

extension Resolver {
    package func query(_ relation: Relation) throws -> ResolvedQuery {
        guard relation.needsResolution else {
            return ResolvedQuery(relation: relation)
        }
        var query = ResolvedQuery(relation: try resolve(relation))
        var prefetching = Prefetching(
            resolver: self, commonTables: query.relation.commonTables, hidden: query.relation.hiddenSelection)
        try prefetching.visit(&query.relation, scope: [], isRoot: true)
        query.relation.hiddenSelection = prefetching.hidden
        query.prefetches = prefetching.prefetches
        if !prefetching.hidden.isEmpty || query.relation.includesJoins {
            query.shape = try shape(of: query.relation, query.relation.commonTables)
            query.shape?.hiddenCount = prefetching.hidden.count
        }
        return query
    }

    private func shape(of relation: Relation, _ commonTables: [CommonTable]) throws -> RowShape {
        var count = try columnCount(of: relation.selection, relation.source, commonTables)
        try addAnnotations(of: relation, commonTables, to: &count)
        var shape = RowShape(columnCount: count)
        for join in relation.joins {
            let joined = join.step.relation
            if join.isIncluded {
                shape.scopes.append((join.name, try self.shape(of: joined, commonTables)))
            } else if joined.includesJoins {
                var empty = try self.shape(of: joined, commonTables)
                empty.columnCount = 0
                shape.scopes.append((join.name, empty))
            }
        }
        return shape
    }

    private func addAnnotations(
        of relation: Relation, _ commonTables: [CommonTable], to count: inout Int?
    ) throws {
        for join in relation.joins {
            if !join.annotation.isEmpty {
                let added = try columnCount(of: join.annotation, join.step.relation.source, commonTables)
                count = count.flatMap { count in added.map { count + $0 } }
            }
            if !join.isIncluded { try addAnnotations(of: join.step.relation, commonTables, to: &count) }
        }
    }

    private func columnCount(
        of selection: [Clause<SQLSelection>], _ source: Source, _ commonTables: [CommonTable]
    ) throws -> Int? {
        var count = 0
        for term in selection.isEmpty ? [SQLSelection(.allColumns(table: nil))] : selection.compactMap(\.term) {
            switch term.node {
            case .expression, .named: count += 1
            case .literal: return nil
            case .allColumns(nil): count += try columnNames(of: source, commonTables: commonTables).count
            case .allColumns, .allColumnsExcluding, .primaryKey: return nil
            }
        }
        return count
    }
}

/// Finds what is prefetched in the tree of a query.
private struct Prefetching {
    let resolver: Resolver
    let commonTables: [CommonTable]
    var hidden: [SQLSelection]
    var prefetches: [ResolvedPrefetch] = []

    mutating func visit(_ relation: inout Relation, scope: [String], isRoot: Bool) throws {
        for prefetch in relation.prefetches { try add(prefetch, to: &relation, scope, isRoot) }
        relation.prefetches = []
        for index in relation.joins.indices {
            let name = relation.joins[index].name
            try visit(&relation.joins[index].step.relation, scope: scope + [name], isRoot: false)
        }
    }

    private mutating func add(
        _ prefetch: Prefetch, to relation: inout Relation, _ scope: [String], _ isRoot: Bool
    ) throws {
        guard !prefetches.contains(where: { $0.name == prefetch.name && $0.scope == scope }) else {
            throw ResolutionError.ambiguousKey(prefetch.name)
        }
        // The aliases of the user, who may refer to them in the prefetched rows.
        let aliases = relation.aliases.filter { $0.number > 0 }
        let inverse = try resolver.inverse(
            ofLimited: prefetch.path, from: relation.storedSource, aliases: aliases)
        var rows = inverse.relation
        let columns = inverse.columns.map(\.destination)
        let isDirect = inverse.isDirect(prefetch.path)
        let filter = Resolver.tuple(columns, isDirect ? .current : .alias(inverse.alias))
        if rows.repeatsAggregatedRows {
            rows.groups = try resolver.rowKey(of: rows.source).map { .term(Resolver.column($0)) }
        }
        if !rows.groups.isEmpty || rows.groupsByPrimaryKey {
            rows.groups += columns.map { .term(Resolver.column($0, .alias(inverse.alias))) }
        }
        var rowHidden: [SQLSelection] = []
        let rowKey = try columns.map { try locate($0, in: rows, isOwn: isDirect, inverse.alias, &rowHidden) }
        rows.hiddenSelection = rowHidden
        // The associated rows may be filtered by the common tables of the request.
        for table in commonTables
        where !rows.commonTables.contains(where: { $0.name.isSameDatabaseName(as: table.name) }) {
            rows.commonTables.append(table)
        }
        let alias = relation.aliases.first ?? resolver.aliases.next()
        if relation.aliases.isEmpty { relation.aliases = [alias] }
        let key = try inverse.columns.map { try locate($0.origin, in: relation, isOwn: isRoot, alias, &hidden) }
        let belongsToTable =
            try isRoot && isDirect && relation.commonTables.isEmpty && rows.commonTables.isEmpty
            && resolver.schema.hasForeignKey(from: rows.source, to: relation.source, inverse.columns)
        prefetches.append(
            ResolvedPrefetch(
                name: prefetch.name, scope: scope, key: key, relation: rows, filter: filter, rowKey: rowKey,
                belongsToTable: belongsToTable))
    }

    /// Where a query has a column: among those it selects anyway, or else behind them.
    private func locate(
        _ column: String, in relation: Relation, isOwn: Bool, _ alias: TableAliasID, _ hidden: inout [SQLSelection]
    ) throws -> KeyColumn {
        if isOwn, relation.selection.isEmpty, case .table = relation.source,
            let index = try resolver.columnNames(of: relation.source, commonTables: relation.commonTables)
                .firstIndex(where: column.isSameDatabaseName)
        {
            return .column(index)
        }
        hidden.append(SQLSelection(.expression(Resolver.column(column, .alias(alias)))))
        return .hidden(hidden.count - 1)
    }
}

extension SchemaReader {
    /// Whether the schema says that each row of a table refers to a row of another. What it can't say is no.
    fileprivate func hasForeignKey(
        from origin: Source, to destination: Source, _ pairs: [ColumnPair]
    ) throws -> Bool {
        guard case .table(let origin) = origin, case .table(let destination) = destination else { return false }
        let reversed = pairs.map { ColumnPair(origin: $0.destination, destination: $0.origin) }
        guard try keyColumns(ofTable: origin) != nil else { return false }
        return try foreignKeys(from: origin, to: destination).contains(reversed)
            && areNotNull(reversed.map(\.origin), ofTable: origin)
    }
}

extension Relation {
    /// Whether the query of a resolved relation gives all the rows of a table.
    package var isWholeTable: Bool {
        guard case .table = source else { return false }
        return filters.isEmpty && limit == nil && groups.isEmpty && havings.isEmpty && commonTables.isEmpty
            && joins.allSatisfy { $0.kind == .left }
    }

    /// Whether a query is more than its text.
    package var needsResolution: Bool { isSymbolic || !prefetches.isEmpty || !hiddenSelection.isEmpty }

    /// Whether rows have scopes.
    fileprivate var includesJoins: Bool {
        joins.contains { $0.isIncluded || $0.step.relation.includesJoins }
    }
}
