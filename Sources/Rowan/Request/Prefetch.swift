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
                let group = try rows(db, prefetch, of: batch, hiddenStart: prepared.hiddenStart)
                tree.scope(prefetch.scope).groups[prefetch.name] = group
            }
        }
        return batch
    }

    private static func rows(
        _ db: Database, _ prefetch: ResolvedPrefetch, of origin: RowBatch, hiddenStart: Int
    ) throws -> PrefetchedGroup {
        var keys = KeyTable(capacity: origin.count)
        let key = prefetch.key.map { $0.index(hiddenStart) }
        let places = (0..<origin.count).map { keys.insert(origin, $0, key) ?? -1 }
        guard !keys.values.isEmpty else { return PrefetchedGroup(origin, places: places, placeCount: 0, pairs: []) }
        var relation = prefetch.relation
        relation.filters.append(
            .term(SQLExpression(.isIn(prefetch.filter, .values(keys.values), isNegated: false))))
        let prepared = try db.prepare(Resolver(db).query(relation))
        let batch = try rows(db, prepared)
        let rowKey = prefetch.rowKey.map { $0.index(prepared.hiddenStart) }
        var pairs: [(place: Int32, row: Int32)] = []
        pairs.reserveCapacity(batch.count)
        for row in 0..<batch.count {
            keys.forEachPlace(of: batch, row, rowKey) { pairs.append(($0, Int32(row))) }
        }
        return PrefetchedGroup(batch, places: places, placeCount: keys.values.count, pairs: pairs)
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

    /// The places of the keys that SQLite found equal to that of a row.
    mutating func forEachPlace(of batch: RowBatch, _ row: Int, _ columns: [Int], _ body: (Int32) -> Void) {
        if columns.count == 1, case .int64(let integer) = batch.value(columns[0], ofRow: row).storage {
            if let lastInteger, lastInteger.key == integer { return body(lastInteger.place) }
            if let place = integers[integer] {
                lastInteger = (integer, place)
                return body(place)
            }
        }
        guard let key = key(batch, row, columns) else { return }
        if let place = place(of: key) { return body(place) }
        // Equal by a collation or a conversion.
        for place in values.indices where Self.areLooselyEqual(values[place], key) { body(Int32(place)) }
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
