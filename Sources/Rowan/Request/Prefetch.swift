// Prefetched rows: one query for all the rows of a query, whatever their number. Its rows are dealt out by key.

/// The rows of a request, with those that it includes by queries of their own.
package enum PrefetchedQuery {
    /// All rows of a prepared request, copied, with their prefetched rows.
    package static func rows(_ db: Database, _ prepared: PreparedRequest) throws -> [Row] {
        let cursor = try RowCursor(prepared.statement, adapter: prepared.adapter)
        var rows: [Row] = []
        guard let row = try cursor.nextRow() else { return rows }
        repeat { rows.append(row.copy()) } while try cursor.advance(row)
        if !prepared.prefetches.isEmpty {
            let hidden = (prepared.adapter as? RowShape)?.hiddenCount ?? 0
            for row in rows { row.prefetchedTree = PrefetchedRows() }
            for prefetch in prepared.prefetches {
                try add(db, prefetch, to: rows, hiddenStart: prepared.statement.columnCount - hidden)
            }
        }
        return rows
    }

    private static func add(
        _ db: Database, _ prefetch: ResolvedPrefetch, to rows: [Row], hiddenStart: Int
    ) throws {
        var places: [KeyValues: Int] = [:]
        places.reserveCapacity(rows.count)
        var groups: [[Row]] = []
        var keys: [[DatabaseValue]] = []
        let key = prefetch.key.map { $0.index(hiddenStart) }
        let placesOfRows = rows.map { row -> Int? in
            let values = KeyValues(row, key)
            guard let values else { return nil }
            if let place = places[values] { return place }
            places[values] = keys.count
            keys.append(values.values)
            groups.append([])
            return keys.count - 1
        }
        if !keys.isEmpty {
            var relation = prefetch.relation
            relation.filters.append(
                .term(SQLExpression(.isIn(prefetch.filter, .values(keys), isNegated: false))))
            let prepared = try db.prepare(Resolver(db).query(relation))
            let hidden = (prepared.adapter as? RowShape)?.hiddenCount ?? 0
            let rowKey = prefetch.rowKey.map { $0.index(prepared.statement.columnCount - hidden) }
            for row in try self.rows(db, prepared) {
                guard let values = KeyValues(row, rowKey) else { continue }
                if let place = places[values] {
                    groups[place].append(row)
                } else {
                    // SQLite found the keys equal, by a collation or a conversion.
                    for place in keys.indices where values.isLoosely(keys[place]) { groups[place].append(row) }
                }
            }
        }
        for (row, place) in zip(rows, placesOfRows) {
            row.prefetchedTree?.scope(prefetch.scope).rows[prefetch.name] = place.map { groups[$0] } ?? []
        }
    }
}

/// The values of a key, nil if one is NULL, which refers to nothing.
private struct KeyValues: Hashable {
    let values: [DatabaseValue]

    init?(_ row: Row, _ indexes: [Int]) {
        var values: [DatabaseValue] = []
        for index in indexes {
            let value = row.unadaptedValue(at: index)
            if value.isNull { return nil }
            values.append(value)
        }
        self.values = values
    }

    /// Whether the values are those of another key but for their type, and the case of texts.
    func isLoosely(_ others: [DatabaseValue]) -> Bool {
        zip(values, others).allSatisfy { String.fromDatabaseValue($0)?.lowercased() == String.fromDatabaseValue($1)?.lowercased() }
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
