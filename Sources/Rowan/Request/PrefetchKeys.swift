// The keys that assign prefetched rows to rows. SQLite selects the prefetched rows; this file assigns them: by equal
// keys, or else by keys that SQLite may consider equal after a conversion (1 and '1') or with a collation ('a' and
// 'A').

import Foundation

/// The distinct keys of rows, numbered from 0.
struct PrefetchKeys {
    /// The keys, by number.
    private(set) var values: [[DatabaseValue]] = []
    /// Most keys are a single integer, which is found without encoding it as bytes.
    private var integers: [Int64: Int32] = [:]
    private var others: [[UInt8]: Int32] = [:]
    /// The numbers of keys that SQLite may consider equal. Created when a key is not found.
    private var similar: [[UInt8]: [Int32]]?
    /// The rows of one key often follow each other.
    private var lastInteger: (key: Int64, place: Int32)?

    init(capacity: Int) { integers.reserveCapacity(capacity) }

    /// The number of the key of a row; nil if a value is NULL, which refers to nothing.
    mutating func insert(_ batch: RowBatch, _ row: Int, _ columns: [Int]) -> Int32? {
        guard let key = key(batch, row, columns) else { return nil }
        if let place = place(of: key) { return place }
        let place = Int32(values.count)
        values.append(key)
        if key.count == 1, case .int64(let integer) = key[0].storage {
            integers[integer] = place
        } else {
            others[Self.bytes(of: key)] = place
        }
        return place
    }

    /// The numbers of the keys of rows. Rows with a NULL key are omitted.
    ///
    /// - Returns: nil if a key is unknown: SQLite may consider it equal to a known one.
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

    /// The numbers of the keys of rows that SQLite considers equal.
    mutating func places(of batch: RowBatch, _ columns: [Int]) -> [RowPlace] {
        var places: [RowPlace] = []
        places.reserveCapacity(batch.count)
        for row in 0..<batch.count {
            if let place = exactPlace(of: batch, row, columns) {
                places.append((place, Int32(row)))
            } else if let key = key(batch, row, columns) {
                for place in similarPlaces(key) { places.append((place, Int32(row))) }
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
        return others[Self.bytes(of: key)]
    }

    private mutating func similarPlaces(_ key: [DatabaseValue]) -> [Int32] {
        func bytes(_ key: [DatabaseValue]) -> [UInt8] { Self.bytes(of: key.map(\.similarityRepresentative)) }
        if similar == nil {
            similar = values.indices.reduce(into: [:]) { $0[bytes(values[$1]), default: []].append(Int32($1)) }
        }
        return similar?[bytes(key)] ?? []
    }

    private func key(_ batch: RowBatch, _ row: Int, _ columns: [Int]) -> [DatabaseValue]? {
        let key = columns.map { batch.value($0, ofRow: row).asIntegerIfWhole }
        return key.contains { $0.isNull } ? nil : key
    }

    /// The bytes of a key, which are equal if all values are. Swift's comparison of strings would treat equivalent
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
    /// The value; an integer for a double without a fraction, because SQLite considers both equal.
    fileprivate var asIntegerIfWhole: DatabaseValue {
        guard case .double(let double) = storage, let integer = Int64(exactly: double) else { return self }
        return DatabaseValue(storage: .int64(integer))
    }

    /// A common value for all values that SQLite may consider equal: a number for numeric texts (affinity), and texts
    /// without ASCII case (NOCASE) and trailing spaces (RTRIM).
    /// Sources: <https://sqlite.org/datatype3.html#affinity>, <https://sqlite.org/datatype3.html#collation>
    fileprivate var similarityRepresentative: DatabaseValue {
        guard case .string(let text) = storage else { return self }
        let isNumber = text.utf8.allSatisfy { $0.isASCIIDigit || " +-.eE".utf8.contains($0) }
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if isNumber, let integer = Int64(trimmed) { return DatabaseValue(storage: .int64(integer)) }
        if isNumber, let double = Double(trimmed) { return DatabaseValue(storage: .double(double)).asIntegerIfWhole }
        let end = text.utf8.lastIndex { $0 != UInt8(ascii: " ") }
        let body = end.map { String(text[...$0]) } ?? ""
        return DatabaseValue(storage: .string(body.foldedDatabaseName))
    }
}
