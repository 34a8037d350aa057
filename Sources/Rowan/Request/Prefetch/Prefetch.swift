// Prefetched rows: one query fetches the associated rows of all rows of a query. They are assigned to their rows by
// key.

/// Fetches the rows of a request together with the associated rows that separate queries fetch.
package enum PrefetchedQuery {
    /// Copies of all rows of a prepared request, with their prefetched rows.
    package static func rows(_ db: Database, _ prepared: PreparedRequest) throws -> RowBatch {
        let statement = prepared.statement
        if db.connection.isRecordingReads {
            // All associated rows, because other base rows may need other ones.
            for prefetch in prepared.prefetches {
                let region = try prefetch.databaseRegion(db)
                try db.registerAccess(to: region)
            }
        }
        // The cursor checks the access.
        let cursor = try RowCursor(prepared, adapter: nil)
        let first = try cursor.nextRow()
        let batch = RowBatch(statement, layout: try prepared.adapter?.layout(of: statement.layout))
        guard let row = first else { return batch }
        repeat { batch.append(statement) } while try cursor.advance(row)
        if !prepared.prefetches.isEmpty {
            let tree = PrefetchTree()
            batch.prefetched = tree
            for prefetch in prepared.prefetches {
                let group = try rows(db, prefetch, of: batch, prepared)
                tree.scope(prefetch.scope).groups[prefetch.name] = group
            }
        }
        return batch
    }

    private static func rows(
        _ db: Database, _ prefetch: ResolvedPrefetch, of origin: RowBatch, _ prepared: PreparedRequest
    ) throws -> PrefetchedGroup {
        let key = KeyColumns(batch: origin, columns: prefetch.key.map { $0.index(prepared.hiddenStart) })
        var keys = PrefetchKeys(of: key)
        let places = keys.insertAll()
        guard keys.count > 0 else { return PrefetchedGroup(origin, places: places, placeCount: 0, pairs: []) }
        func group(_ batch: RowBatch, _ pairs: [RowPlace]) -> PrefetchedGroup {
            PrefetchedGroup(batch, places: places, placeCount: keys.count, pairs: pairs)
        }
        // Several keys can only be equal for SQLite if they contain text.
        let comparison = keys.hasTexts ? try db.keyComparison(prefetch.tables) : .exact
        // Scanning the table is faster than searching for each of its rows (benchmark include-all).
        if prepared.isWholeTable, prefetch.belongsToTable, comparison == .exact {
            let key = try rows(db, prefetch, prefetch.relation)
            if let pairs = keys.exactPlaces(of: key) { return group(key.batch, pairs) }
        }
        let rowKey = try rows(db, prefetch, prefetch.relation(ofKeys: keys.values))
        if comparison == .exact { return group(rowKey.batch, keys.places(of: rowKey)) }
        var owners = PrefetchOwners(of: rowKey, among: keys, comparison)
        try owners.askSQLite { key in
            var relation = prefetch.relation(ofKeys: [key])
            relation.prefetches = []
            return try rows(db, prefetch, relation)
        }
        return group(rowKey.batch, owners.pairs)
    }

    /// The rows of a prefetching query, and the positions of their keys.
    private static func rows(
        _ db: Database, _ prefetch: ResolvedPrefetch, _ relation: Relation
    ) throws -> KeyColumns {
        let prepared = try db.prepare { try Resolver(db).query(relation) }
        return KeyColumns(
            batch: try rows(db, prepared), columns: prefetch.rowKey.map { $0.index(prepared.hiddenStart) })
    }
}

extension KeyColumn {
    fileprivate func index(_ hiddenStart: Int) -> Int {
        switch self {
        case .column(let index): index
        case .hidden(let index): hiddenStart + index
        }
    }
}
