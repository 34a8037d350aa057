// The keys that tell which prefetched rows belong to which row. SQLite finds the rows; where they belong is found here:
// by equal keys, or else by keys that SQLite may call equal, by a conversion (1 and '1') or a collation ('a' and 'A').

import Foundation

/// The distinct keys of rows, numbered.
struct PrefetchKeys {
    /// The key of each place.
    private(set) var values: [[DatabaseValue]] = []
    /// Most keys are one integer: those need no bytes to be found.
    private var integers: [Int64: Int32] = [:]
    private var others: [[UInt8]: Int32] = [:]
    /// The places of the keys that may be equal for SQLite. Made when a key is not found.
    private var similar: [[UInt8]: [Int32]]?
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
            others[Self.bytes(of: key)] = place
        }
        return place
    }

    /// The places of rows that have the same keys. Rows whose key is NULL have none.
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

    /// The bytes of a key: two are the same when all values are. Swift's own comparison of texts knows of equal characters.
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
    /// The value, where a double that is a whole number is that integer: SQLite calls them equal.
    fileprivate var asIntegerIfWhole: DatabaseValue {
        guard case .double(let double) = storage, let integer = Int64(exactly: double) else { return self }
        return DatabaseValue(storage: .int64(integer))
    }

    /// One value for all those that SQLite may call equal: a number for the texts that are one (affinity), and texts
    /// without the case of ASCII letters (NOCASE) and the spaces at their end (RTRIM).
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
