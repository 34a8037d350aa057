// Prefetched rows: one query for all the rows of a query, whatever their number. Its rows are dealt out by key.

/// The rows of a request, with those that it includes by queries of their own.
package enum PrefetchedQuery {
    /// All rows of a prepared request, copied, with their prefetched rows.
    package static func rows(_ db: Database, _ prepared: PreparedRequest) throws -> RowBatch {
        let statement = prepared.statement
        // The cursor holds the statement, and checks the access.
        let cursor = try RowCursor(statement, adapter: nil)
        let first = try cursor.nextRow()
        let batch = RowBatch(statement, mapping: try prepared.adapter?.mapping(of: statement.layout))
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
        var keys = KeyTable(capacity: origin.count)
        let key = prefetch.key.map { $0.index(prepared.hiddenStart) }
        let places = (0..<origin.count).map { keys.insert(origin, $0, key) ?? -1 }
        guard !keys.values.isEmpty else { return PrefetchedGroup(origin, places: places, placeCount: 0, pairs: []) }
        func group(_ batch: RowBatch, _ pairs: [RowPlace]) -> PrefetchedGroup {
            PrefetchedGroup(batch, places: places, placeCount: keys.values.count, pairs: pairs)
        }
        // A scan of the table is quicker than a search for each of its rows (benchmark include-all).
        if prepared.isWholeTable, prefetch.belongsToTable {
            let (batch, key) = try rows(db, prefetch, prefetch.relation)
            if let pairs = keys.exactPlaces(of: batch, key) { return group(batch, pairs) }
        }
        var relation = prefetch.relation
        relation.filters.append(
            .term(SQLExpression(.isIn(prefetch.filter, .values(keys.values), isNegated: false))))
        let (batch, rowKey) = try rows(db, prefetch, relation)
        return group(batch, keys.places(of: batch, rowKey))
    }

    /// The rows of a prefetching query, and where they have their key.
    private static func rows(
        _ db: Database, _ prefetch: ResolvedPrefetch, _ relation: Relation
    ) throws -> (RowBatch, key: [Int]) {
        let prepared = try db.prepare(Resolver(db).query(relation))
        return (try rows(db, prepared), prefetch.rowKey.map { $0.index(prepared.hiddenStart) })
    }
}

extension PreparedRequest {
    /// The index of the first column that no row shows.
    fileprivate var hiddenStart: Int { statement.columnCount - ((adapter as? RowShape)?.hiddenCount ?? 0) }
}

/// The distinct keys of rows, numbered.
private struct KeyTable {
    /// The key of each place.
    private(set) var values: [[DatabaseValue]] = []
    /// Most keys are one integer: those need no array to be found.
    private var integers: [Int64: Int32] = [:]
    private var others: [[DatabaseValue]: Int32] = [:]
    /// The rows of one key often follow each other.
    private var lastInteger: (key: Int64, place: Int32)?

    init(capacity: Int) { integers.reserveCapacity(capacity) }

    /// The place of the key of a row; nil if a value is NULL, which refers to nothing.
    mutating func insert(_ batch: RowBatch, _ row: Int, _ columns: [Int]) -> Int32? {
        guard let key = key(batch, row, columns) else { return nil }
        if let place = place(of: key) { return place }
        let place = Int32(values.count)
        values.append(key)
        if key.count == 1, case .int64(let integer) = key[0].storage {
            integers[integer] = place
        } else {
            others[key] = place
        }
        return place
    }

    /// The places of rows that have the same keys, to the byte. Rows whose key is NULL have none.
    ///
    /// - Returns: nil if a row has another key: SQLite may call it equal to one of these.
    mutating func exactPlaces(of batch: RowBatch, _ columns: [Int]) -> [RowPlace]? {
        var places: [RowPlace] = []
        places.reserveCapacity(batch.count)
        for row in 0..<batch.count {
            if let place = exactPlace(of: batch, row, columns) {
                places.append((place, Int32(row)))
            } else if key(batch, row, columns) != nil {
                return nil
            }
        }
        return places
    }

    /// The places of rows whose keys SQLite found equal to these.
    mutating func places(of batch: RowBatch, _ columns: [Int]) -> [RowPlace] {
        var places: [RowPlace] = []
        places.reserveCapacity(batch.count)
        for row in 0..<batch.count {
            if let place = exactPlace(of: batch, row, columns) {
                places.append((place, Int32(row)))
            } else if let key = key(batch, row, columns) {
                // Equal by a collation or a conversion.
                for place in values.indices where Self.areLooselyEqual(values[place], key) {
                    places.append((Int32(place), Int32(row)))
                }
            }
        }
        return places
    }

    private mutating func exactPlace(of batch: RowBatch, _ row: Int, _ columns: [Int]) -> Int32? {
        guard columns.count == 1, case .int64(let integer) = batch.value(columns[0], ofRow: row).storage else {
            return key(batch, row, columns).flatMap(place)
        }
        if let lastInteger, lastInteger.key == integer { return lastInteger.place }
        guard let place = integers[integer] else { return nil }
        lastInteger = (integer, place)
        return place
    }

    private func place(of key: [DatabaseValue]) -> Int32? {
        if key.count == 1, case .int64(let integer) = key[0].storage { return integers[integer] }
        return others[key]
    }

    private func key(_ batch: RowBatch, _ row: Int, _ columns: [Int]) -> [DatabaseValue]? {
        let key = columns.map { batch.value($0, ofRow: row) }
        return key.contains { $0.isNull } ? nil : key
    }

    /// Whether keys differ in the types of their values, and in the case of texts, alone.
    private static func areLooselyEqual(_ a: [DatabaseValue], _ b: [DatabaseValue]) -> Bool {
        zip(a, b).allSatisfy {
            String.fromDatabaseValue($0)?.lowercased() == String.fromDatabaseValue($1)?.lowercased()
        }
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
