// The owners of prefetched rows whose keys may equal several keys, such as 'a' and 'A'. Similar values give the
// candidates; where these are ambiguous, SQLite decides.

/// The owners of prefetched rows, by places of keys.
struct PrefetchOwners {
    private let keys: [[DatabaseValue]]
    /// The distinct keys of the prefetched rows.
    private let rowKeys: PrefetchKeys
    /// For each prefetched row, the place of its key in `rowKeys`; -1 for NULL.
    private let rowPlaces: [Int32]
    /// For each distinct key of the prefetched rows, the places of the equal keys.
    private var owners: [[Int32]]
    /// The places of the keys whose rows are unknown.
    private var doubtful: Set<Int32> = []

    init(of rows: KeyColumns, among keys: PrefetchKeys, _ comparison: KeyComparison) {
        var (keys, rowKeys) = (keys, PrefetchKeys(of: rows))
        self.keys = keys.values
        rowPlaces = rowKeys.insertAll()
        self.rowKeys = rowKeys
        owners = Array(repeating: [], count: rowKeys.count)
        let all = Int32.zero..<Int32(keys.count)
        if comparison == .custom {
            doubtful = Set(all)
            return
        }
        for (index, key) in rowKeys.values.enumerated() {
            let candidates = keys.similarPlaces(key)
            if candidates.count == 1 {
                owners[index] = candidates
            } else {
                // SQLite found the row equal to one of the keys.
                doubtful.formUnion(candidates.isEmpty ? Array(all) : candidates)
            }
        }
    }

    /// Finds the rows of the doubtful keys.
    ///
    /// - Parameter rows: fetches the rows whose keys SQLite considers equal to a key.
    mutating func askSQLite(_ rows: (_ key: [DatabaseValue]) throws -> KeyColumns) throws {
        for place in doubtful.sorted() {
            let found = try rows(keys[Int(place)])
            for row in 0..<found.batch.count {
                guard let index = rowKeys.place(of: found, row), !owners[index].contains(place) else { continue }
                owners[index].append(place)
            }
        }
        doubtful = []
    }

    /// The rows with the places of their owners, in row order.
    var pairs: [RowPlace] {
        rowPlaces.indices.flatMap { row in
            rowPlaces[row] < 0 ? [] : owners[Int(rowPlaces[row])].map { (place: $0, row: Int32(row)) }
        }
    }
}
