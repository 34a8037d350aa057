// A query that is ready to run: its statement, the division of its rows into scopes, and the rows to prefetch.

/// A resolved query and the structure of its rows.
package struct ResolvedQuery {
    package var select: Select
    /// The division of rows into scopes; nil if all columns are shown.
    package var shape: RowShape?
    package var prefetches: [ResolvedPrefetch] = []
}

/// The position of a column required by prefetched rows.
package enum KeyColumn: Hashable, Sendable {
    case column(Int)
    case hidden(Int)
}

/// Rows fetched by a separate query for all rows of a query.
package struct ResolvedPrefetch {
    package var name: String
    /// The scopes that lead to the row that owns the prefetched rows.
    package var scope: [String]
    /// The columns of the query's rows that identify their prefetched rows.
    package var key: [KeyColumn]
    /// The query of the prefetched rows, without the filter by key.
    package var relation: Relation
    /// The columns that link the rows of the query with the prefetched rows, in a table of the latter's query.
    package var columns: [ColumnPair]
    package var table: TableReference
    /// The positions of the key columns of the prefetched rows.
    package var rowKey: [KeyColumn]
    /// Whether the schema guarantees that each prefetched row belongs to a row of the origin's table. If the origin is
    /// the whole table, no filter by key is needed.
    package var belongsToTable: Bool
    /// The tables of the keys; nil if one of them is not a table.
    package var tables: KeyTables?
}

extension ResolvedPrefetch {
    /// The query of the prefetched rows that belong to the given keys.
    package func relation(ofKeys keys: [[DatabaseValue]]) -> Relation {
        var relation = relation
        relation.filters.append(columns.destination(in: table, isOneOf: keys))
        return relation
    }
}

/// The tables that contain the keys of an association.
package struct KeyTables {
    package var origin: TableName
    package var destination: TableName
    package var columns: [ColumnPair]
}

extension Resolver {
    package func query(_ relation: Relation) throws -> ResolvedQuery {
        if let select = relation.plainSelect { return ResolvedQuery(select: select) }
        var relation = try expanded(relation)
        var prefetching = Prefetching(
            resolver: self, commonTables: relation.commonTables, hidden: relation.hiddenSelection)
        try prefetching.visit(&relation, scope: [], isRoot: true)
        relation.hiddenSelection = prefetching.hidden
        let select = try select(expanded: relation)
        return ResolvedQuery(select: select, shape: try shape(of: select), prefetches: prefetching.prefetches)
    }
}

/// Finds the prefetched associations of a relation and adds the columns they need.
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
            throw RequestError.ambiguousKey(prefetch.name)
        }
        // User aliases, which prefetched rows may refer to.
        let aliases = relation.aliases.filter(\.isOfUser)
        let inverse = try resolver.inverse(
            ofLimited: prefetch.path, from: relation.storedSource, aliases: aliases)
        var rows = inverse.relation
        let columns = inverse.columns.map(\.destination)
        let isDirect = inverse.isDirect(prefetch.path)
        if rows.repeatsAggregatedRows {
            rows.groups = try resolver.rowKey(of: rows.source).map { Resolver.column($0) }
        }
        if !rows.groups.isEmpty || rows.groupsByPrimaryKey {
            rows.groups += columns.map { Resolver.column($0, .alias(inverse.alias)) }
        }
        var rowHidden: [SQLSelection] = []
        let rowKey = try columns.map { try locate($0, in: rows, isOwn: isDirect, inverse.alias, &rowHidden) }
        rows.hiddenSelection = rowHidden
        // Associated rows may use the common tables of the request.
        for table in commonTables
        where !rows.commonTables.contains(where: { $0.name.isSameDatabaseName(as: table.name) }) {
            rows.commonTables.append(table)
        }
        let alias = relation.aliases.first ?? .given()
        if relation.aliases.isEmpty { relation.aliases = [alias] }
        let key = try inverse.columns.map { try locate($0.origin, in: relation, isOwn: isRoot, alias, &hidden) }
        let belongsToTable =
            try isRoot && isDirect && relation.commonTables.isEmpty && rows.commonTables.isEmpty
            && resolver.schema.hasForeignKey(from: rows.source, to: relation.source, inverse.columns)
        prefetches.append(
            ResolvedPrefetch(
                name: prefetch.name, scope: scope, key: key, relation: rows, columns: inverse.columns,
                table: isDirect ? .current : .alias(inverse.alias), rowKey: rowKey, belongsToTable: belongsToTable,
                tables: keyTables(from: relation.source, to: inverse.source, rows.commonTables, inverse.columns)))
    }

    private func keyTables(
        from origin: Source, to destination: Source, _ commonTables: [CommonTable], _ columns: [ColumnPair]
    ) -> KeyTables? {
        guard let origin = origin.keyTable, let destination = destination.keyTable,
            !commonTables.contains(where: { table in
                table.name.isSameDatabaseName(as: origin.name) || table.name.isSameDatabaseName(as: destination.name)
            })
        else { return nil }
        return KeyTables(origin: origin, destination: destination, columns: columns)
    }

    /// The position of a column in a query: within its selection or appended to it.
    private func locate(
        _ column: String, in relation: Relation, isOwn: Bool, _ alias: TableAliasID, _ hidden: inout [SQLSelection]
    ) throws -> KeyColumn {
        if isOwn, case .table = relation.source, let index = try position(ofColumn: column, in: relation) {
            return .column(index)
        }
        hidden.append(SQLSelection(.expression(Resolver.column(column, .alias(alias)))))
        return .hidden(hidden.count - 1)
    }

    private func position(ofColumn column: String, in relation: Relation) throws -> Int? {
        guard relation.selection.isEmpty else { return relation.selectedPosition(ofColumn: column) }
        return try resolver.columnNames(of: relation.source, commonTables: relation.commonTables)
            .firstIndex(where: column.isSameDatabaseName)
    }
}

extension Relation {
    /// The position of a column of the table among the selected ones; nil if it is not selected, or if a selection before
    /// it has an unknown number of columns.
    fileprivate func selectedPosition(ofColumn column: String) -> Int? {
        for (index, selection) in selection.enumerated() {
            switch selection.node {
            case .expression(let expression):
                if case .column(let name, .current) = expression.node, name.isSameDatabaseName(as: column) {
                    return index
                }
            case .named: break
            case .literal, .allColumns, .symbol: return nil
            }
        }
        return nil
    }
}

extension SchemaReader {
    /// Whether the schema guarantees that each row of a table refers to a row of another; false if unknown.
    fileprivate func hasForeignKey(
        from origin: Source, to destination: Source, _ pairs: [ColumnPair]
    ) throws -> Bool {
        guard case .table(let origin) = origin, case .table(let destination) = destination else { return false }
        let reversed = pairs.map { ColumnPair(origin: $0.destination, destination: $0.origin) }
        guard pairs.allSatisfy({ $0.conversion == nil }), try keyColumns(ofTable: origin) != nil else { return false }
        return try foreignKeys(from: origin, to: destination).contains(reversed)
            && areNotNull(reversed.map(\.origin), ofTable: origin)
    }
}

extension Relation {
    /// The query, if it is already complete: it does not depend on the schema, and all of its columns are shown.
    package var plainSelect: Select? {
        guard !hasRareParts || prefetches.isEmpty && hiddenSelection.isEmpty else { return nil }
        return Select(self)
    }
}
