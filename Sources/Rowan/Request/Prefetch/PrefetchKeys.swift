// The keys that assign prefetched rows to their owners. SQLite finds the rows; their owners are found here by equal
// keys, or by keys that SQLite may consider equal after a conversion (1 and '1') or by a collation ('a' and 'A'). Keys
// are hashed and compared in place, in the batches (benchmark include-all-composite).

import RowanPlatform

/// The columns of a batch that contain its keys.
struct KeyColumns {
    let batch: RowBatch
    let columns: [Int]

    /// The key of a row; nil if a value is NULL and thus refers to nothing.
    func key(_ row: Int) -> [DatabaseValue]? {
        let key = columns.map { batch.value($0, ofRow: row).asIntegerIfWhole }
        return key.contains { $0.isNull } ? nil : key
    }

    /// The hash of the key of a row; nil if a value is NULL and thus refers to nothing.
    fileprivate func hash(_ row: Int, seed: UInt64) -> UInt64? {
        if columns.count == 1, let integer = batch.packed(columns[0], ofRow: row).wholeNumber {
            // The high bits of the product depend on all bits of the key, and on the seed.
            let product = (UInt64(bitPattern: integer) ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            return product.high ^ product.low
        }
        var hasher = Hasher()
        for column in columns {
            guard batch.packed(column, ofRow: row).hash(into: &hasher) else { return nil }
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Whether two rows have the same key.
    fileprivate func isKey(_ row: Int, sameAs other: KeyColumns, _ otherRow: Int) -> Bool {
        for index in columns.indices {
            let value = batch.packed(columns[index], ofRow: row)
            guard value.isSameKey(as: other.batch.packed(other.columns[index], ofRow: otherRow)) else { return false }
        }
        return true
    }
}

/// The distinct keys of the rows of a batch. Each key is numbered: its number is its place.
struct PrefetchKeys {
    private let origin: KeyColumns
    /// For each place, the first row with its key.
    private var rows: [Int32] = []
    /// An open-addressing table: the place of a key plus one, or 0.
    private var slots: [Int32]
    /// For each place, the hash of its key.
    private var hashes: [UInt64] = []
    /// Random for each fetch, so that input can't be crafted to collide.
    private let seed = UInt64.random(in: .min ... .max)
    /// The places of the keys that SQLite may consider equal. Made when a key is not found.
    private var similar: [[UInt8]: [Int32]]?

    init(of origin: KeyColumns) {
        self.origin = origin
        var capacity = 16
        // At most half full, so that every search reaches an empty slot.
        while capacity < 2 * origin.batch.count { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
        rows.reserveCapacity(origin.batch.count)
        hashes.reserveCapacity(origin.batch.count)
    }

    /// The number of distinct keys.
    var count: Int { rows.count }

    /// The key of each place.
    var values: [[DatabaseValue]] { rows.compactMap { origin.key(Int($0)) } }

    /// The place of the key of each row of the origin; -1 for a NULL key.
    mutating func insertAll() -> [Int32] {
        (0..<origin.batch.count).map { row in
            guard let hash = origin.hash(row, seed: seed) else { return -1 }
            let slot = slot(of: origin, row, hash)
            if slots[slot] > 0 { return slots[slot] - 1 }
            let place = Int32(rows.count)
            rows.append(Int32(row))
            hashes.append(hash)
            slots[slot] = place + 1
            return place
        }
    }

    /// The slot of a key, or the empty slot where it belongs.
    private func slot(of key: KeyColumns, _ row: Int, _ hash: UInt64) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] > 0 {
            let place = Int(slots[slot]) - 1
            if hashes[place] == hash, origin.isKey(Int(rows[place]), sameAs: key, row) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    /// The places of the rows with the same keys. Rows with a NULL key have none.
    ///
    /// - Returns: nil if a row has another key, which SQLite may consider equal to one of these.
    func exactPlaces(of keys: KeyColumns) -> [RowPlace]? {
        var places: [RowPlace] = []
        places.reserveCapacity(keys.batch.count)
        for row in 0..<keys.batch.count {
            guard let hash = keys.hash(row, seed: seed) else { continue }
            let place = slots[slot(of: keys, row, hash)] - 1
            guard place >= 0 else { return nil }
            places.append((place, Int32(row)))
        }
        return places
    }

    /// Whether a key contains a text.
    var hasTexts: Bool {
        origin.columns.contains { column in
            rows.contains { origin.batch.packed(column, ofRow: Int($0)).isText }
        }
    }

    /// The place of the key of a row; nil if no row of the origin has it.
    func place(of keys: KeyColumns, _ row: Int) -> Int? {
        guard let hash = keys.hash(row, seed: seed) else { return nil }
        let place = Int(slots[slot(of: keys, row, hash)]) - 1
        return place < 0 ? nil : place
    }

    /// The places of the rows whose keys SQLite found equal to these.
    mutating func places(of keys: KeyColumns) -> [RowPlace] {
        var places: [RowPlace] = []
        places.reserveCapacity(keys.batch.count)
        for row in 0..<keys.batch.count {
            guard let hash = keys.hash(row, seed: seed) else { continue }
            let place = slots[slot(of: keys, row, hash)] - 1
            if place >= 0 {
                places.append((place, Int32(row)))
            } else if let key = keys.key(row) {
                for place in similarPlaces(key) { places.append((place, Int32(row))) }
            }
        }
        return places
    }

    /// The places of the keys that SQLite's conversions and collations may make equal to a key.
    mutating func similarPlaces(_ key: [DatabaseValue]) -> [Int32] {
        func bytes(_ key: [DatabaseValue]) -> [UInt8] { Self.bytes(of: key.map(\.similarityRepresentative)) }
        if similar == nil {
            let values = values
            similar = values.indices.reduce(into: [:]) { $0[bytes(values[$1]), default: []].append(Int32($1)) }
        }
        return similar?[bytes(key)] ?? []
    }
}

extension PrefetchKeys {
    /// The bytes of a key, which are equal if all values are. Swift's string comparison would treat equivalent
    /// characters as equal.
    private static func bytes(of key: [DatabaseValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ type: UInt8, _ content: some Collection<UInt8>) {
            bytes.append(type)
            withUnsafeBytes(of: content.count) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: content)
        }
        for value in key {
            switch value.storage {
            case .null: append(0, [])
            case .int64(let integer): withUnsafeBytes(of: integer) { append(1, $0) }
            case .double(let double): withUnsafeBytes(of: double) { append(2, $0) }
            case .string(let text): append(3, text.utf8)
            case .blob(let data): append(4, data)
            }
        }
        return bytes
    }
}

extension DatabaseValue {
    /// The value, as an integer if it is a double without a fraction: SQLite considers both equal.
    fileprivate var asIntegerIfWhole: DatabaseValue {
        guard case .double(let double) = storage, let integer = Int64(exactly: double) else { return self }
        return DatabaseValue(storage: .int64(integer))
    }

    /// A common value for all values that SQLite may consider equal: a number for numeric text (affinity), and text
    /// without ASCII case (NOCASE) and trailing spaces (RTRIM).
    /// Sources: <https://sqlite.org/datatype3.html#affinity>, <https://sqlite.org/datatype3.html#collation>
    fileprivate var similarityRepresentative: DatabaseValue {
        guard case .string(let text) = storage else { return self }
        let isSpace = { (byte: UInt8) in 0x09...0x0D ~= byte || byte == 0x20 }
        let isNumber = text.utf8.allSatisfy { $0.isASCIIDigit || isSpace($0) || "+-.eE".utf8.contains($0) }
        if isNumber {
            var bytes = text.utf8.drop(while: isSpace)
            while let last = bytes.last, isSpace(last) { bytes.removeLast() }
            let number = Substring(bytes)
            if let integer = Int64(number) { return DatabaseValue(storage: .int64(integer)) }
            if let double = Double(number) { return DatabaseValue(storage: .double(double)).asIntegerIfWhole }
        }
        let end = text.utf8.lastIndex { $0 != UInt8(ascii: " ") }
        let body = end.map { String(text[...$0]) } ?? ""
        return DatabaseValue(storage: .string(body.foldedDatabaseName))
    }
}
