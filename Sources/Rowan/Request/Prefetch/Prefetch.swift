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
            var searches: [PrefetchSearch] = []
            // No query needs the rows of another one, so that they can share a round trip.
            if db.connection.abilities.hasRoundTrips, prepared.prefetches.count > 1 {
                searches = try prepared.prefetches.map { try PrefetchSearch(db, $0, of: batch, prepared) }
                try db.connection.runAhead(searches.compactMap { $0.query?.statement })
            }
            for (index, prefetch) in prepared.prefetches.enumerated() {
                var search =
                    try searches.isEmpty ? PrefetchSearch(db, prefetch, of: batch, prepared) : searches[index]
                tree.scope(prefetch.scope).groups[prefetch.name] = try search.group(db)
            }
        }
        return batch
    }
}

/// The search for the associated rows of a batch.
private struct PrefetchSearch {
    private let prefetch: ResolvedPrefetch
    private let origin: RowBatch
    private var keys: PrefetchKeys
    private let places: [Int32]
    private let comparison: KeyComparison
    /// Whether the query fetches all rows of the table.
    private let fetchesTable: Bool
    /// The query; nil if no row has a key.
    let query: PreparedRequest?

    init(
        _ db: Database, _ prefetch: ResolvedPrefetch, of origin: RowBatch, _ prepared: PreparedRequest
    ) throws {
        (self.prefetch, self.origin) = (prefetch, origin)
        keys = PrefetchKeys(
            of: KeyColumns(batch: origin, columns: prefetch.key.map { $0.index(prepared.hiddenStart) }))
        places = keys.insertAll()
        // Several keys can only be equal for SQLite if they contain text.
        comparison = try keys.hasTexts ? db.keyComparison(prefetch.tables) : .exact
        // Scanning the table is faster than searching for each of its rows (benchmark include-all).
        fetchesTable = prepared.isWholeTable && prefetch.belongsToTable && comparison == .exact
        query =
            try keys.count == 0
            ? nil : Self.query(db, fetchesTable ? prefetch.relation : prefetch.relation(ofKeys: keys.values))
    }

    /// The associated rows, with the rows to which they belong.
    mutating func group(_ db: Database) throws -> PrefetchedGroup {
        let (origin, places, placeCount) = (origin, places, keys.count)
        func group(_ batch: RowBatch, _ pairs: [RowPlace]) -> PrefetchedGroup {
            PrefetchedGroup(batch, places: places, placeCount: placeCount, pairs: pairs)
        }
        guard let query else { return group(origin, []) }
        var rowKey = try rows(db, query)
        if fetchesTable {
            if let pairs = keys.exactPlaces(of: rowKey) { return group(rowKey.batch, pairs) }
            rowKey = try rows(db, Self.query(db, prefetch.relation(ofKeys: keys.values)))
        }
        if comparison == .exact { return group(rowKey.batch, keys.places(of: rowKey)) }
        var owners = PrefetchOwners(of: rowKey, among: keys, comparison)
        try owners.askSQLite { key in
            var relation = prefetch.relation(ofKeys: [key])
            relation.prefetches = []
            return try rows(db, Self.query(db, relation))
        }
        return group(rowKey.batch, owners.pairs)
    }

    private static func query(_ db: Database, _ relation: Relation) throws -> PreparedRequest {
        try db.prepare { try Resolver(db).query(relation) }
    }

    /// The rows of a query, and the positions of their keys.
    private func rows(_ db: Database, _ query: PreparedRequest) throws -> KeyColumns {
        KeyColumns(
            batch: try PrefetchedQuery.rows(db, query), columns: prefetch.rowKey.map { $0.index(query.hiddenStart) })
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
