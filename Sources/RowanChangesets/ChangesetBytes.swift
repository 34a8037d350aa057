// The binary format of SQLite's changesets and patchsets: tables, each followed by its changes.
//
//     'T' or 'P', number of columns, a key index for each column, name, NUL
//     operation, whether it is indirect, values before (all but insertions), values after (all but deletions)
//
// A patchset has no values before: its deletions have the values of the key, and its updates have the key among the
// values after. Sources: https://sqlite.org/sessionintro.html, the comments of sqlite3session.c

import Rowan
import RowanPlatform

/// The changes of a table, as a changeset describes them: without the names of columns.
struct ChangesetTable: Hashable, Sendable {
    var name: String
    /// For each column, its position in the primary key, from 1; 0 for other columns.
    var keyIndexes: [UInt8]
}

/// One change, as it is stored.
struct ChangeValues: Hashable, Sendable {
    var kind: DatabaseChange.Kind
    var isIndirect: Bool
    /// The values before the change; nil where the changeset has none.
    var old: [DatabaseValue?]
    /// The values after the change; nil where the changeset has none.
    var new: [DatabaseValue?]

    /// The change that undoes this one.
    func inverted(of table: ChangesetTable) -> ChangeValues {
        switch kind {
        case .insert: return ChangeValues(kind: .delete, isIndirect: isIndirect, old: new, new: old)
        case .delete: return ChangeValues(kind: .insert, isIndirect: isIndirect, old: new, new: old)
        case .update:
            var inverse = self
            for column in table.keyIndexes.indices where table.keyIndexes[column] == 0 {
                (inverse.old[column], inverse.new[column]) = (new[column], old[column])
            }
            return inverse
        }
    }
}

// MARK: - Writing

/// Appends changes to bytes.
struct ChangesetWriter {
    private(set) var bytes = Data()
    private let isPatchset: Bool
    private var table: ChangesetTable?

    init(isPatchset: Bool) { self.isPatchset = isPatchset }

    /// Returns the bytes so far, which later ones follow.
    mutating func takeBytes() -> Data {
        defer { bytes = Data() }
        return bytes
    }

    mutating func write(_ change: ChangeValues, of table: ChangesetTable) {
        if table != self.table {
            self.table = table
            bytes.append(UInt8(ascii: isPatchset ? "P" : "T"))
            write(count: table.keyIndexes.count)
            bytes.append(contentsOf: table.keyIndexes)
            bytes.append(contentsOf: table.name.utf8)
            bytes.append(0)
        }
        bytes.append(change.kind.code)
        bytes.append(change.isIndirect ? 1 : 0)
        switch (change.kind, isPatchset) {
        case (.insert, _): write(change.new)
        case (.delete, false): write(change.old)
        case (.delete, true): write(zip(change.old, table.keyIndexes).filter { $1 > 0 }.map(\.0))
        case (.update, false):
            write(change.old)
            write(change.new)
        case (.update, true):
            let values = zip(zip(change.old, change.new), table.keyIndexes)
            write(values.map { $1 > 0 ? $0.0 : $0.1 })
        }
    }

    private mutating func write(_ values: [DatabaseValue?]) {
        for value in values {
            guard let value else {
                bytes.append(0)
                continue
            }
            switch value.storage {
            case .int64(let integer):
                bytes.append(1)
                write(integer.bigEndian)
            case .double(let double):
                bytes.append(2)
                write(double.bitPattern.bigEndian)
            case .string(let text):
                bytes.append(3)
                write(count: text.utf8.count)
                bytes.append(contentsOf: text.utf8)
            case .blob(let data):
                bytes.append(4)
                write(count: data.count)
                bytes.append(data)
            case .null: bytes.append(5)
            }
        }
    }

    private mutating func write(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    }

    /// A number in groups of seven bits, the first one first. <https://sqlite.org/fileformat2.html#varint>
    private mutating func write(count: Int) {
        var groups = [UInt8(count & 0x7F)]
        var rest = count >> 7
        while rest > 0 {
            groups.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(contentsOf: groups.reversed())
    }
}

// MARK: - Reading

/// Reads changes from bytes, which may come from a stranger.
struct ChangesetReader {
    private typealias Bytes = UnsafeRawBufferPointer

    private let data: Data
    /// Counted from the first byte, like the ranges of headers and changes.
    private var position = 0
    private var header = 0..<0
    private var change = 0..<0
    private(set) var isPatchset = false
    private(set) var table: ChangesetTable?

    init(_ data: Data) { self.data = data }

    /// The header of the current table.
    var tableBytes: Data { data[data.startIndex + header.lowerBound..<data.startIndex + header.upperBound] }
    /// The last change.
    var changeBytes: Data { data[data.startIndex + change.lowerBound..<data.startIndex + change.upperBound] }

    /// The next change of `table`; nil at the end.
    ///
    /// - Throws: SQLITE_CORRUPT for bytes that are no changeset.
    mutating func next() throws -> ChangeValues? {
        let data = data
        return try data.withUnsafeBytes { try readTables($0) ? readChange($0) : nil }
    }

    /// Checks all changes, without making values of them, before SQLite reads them.
    ///
    /// - Returns: the tables, each once, in order.
    /// - Throws: SQLITE_CORRUPT for bytes that are no changeset.
    mutating func skipToEnd() throws -> [ChangesetTable] {
        let data = data
        return try data.withUnsafeBytes { bytes in
            var tables: [ChangesetTable] = []
            var known = header
            while try readTables(bytes) {
                if header != known, let table, !tables.contains(table) { tables.append(table) }
                known = header
                try skipChange(bytes)
            }
            return tables
        }
    }

    /// Reads the headers of tables before the next change.
    ///
    /// - Returns: false at the end.
    private mutating func readTables(_ bytes: Bytes) throws -> Bool {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == UInt8(ascii: "T") || byte == UInt8(ascii: "P") else { return true }
            try readTable(bytes)
        }
        return false
    }

    private mutating func readTable(_ bytes: Bytes) throws {
        let start = position
        let isPatchset = try readByte(bytes) == UInt8(ascii: "P")
        guard table == nil || isPatchset == self.isPatchset else { throw damaged("changesets and patchsets are mixed") }
        self.isPatchset = isPatchset
        let count = try readCount(bytes)
        // SQLite's default maximum. Each change costs as much as its table has columns, even if it stores fewer.
        guard count <= 2_000 else { throw damaged("a table has \(count) columns") }
        let keyIndexes = Array(try readBytes(bytes, count))
        guard keyIndexes.contains(where: { $0 > 0 }) else { throw damaged("a table has no primary key") }
        guard let length = bytes[position...].firstIndex(of: 0) else { throw damaged("a name does not end") }
        let name = String(decoding: bytes[position..<length], as: UTF8.self)
        position = length + 1
        table = ChangesetTable(name: name, keyIndexes: keyIndexes)
        header = start..<position
    }

    private mutating func readKind(_ bytes: Bytes) throws -> (DatabaseChange.Kind, ChangesetTable) {
        guard let table, let kind = DatabaseChange.Kind(code: try readByte(bytes)) else {
            throw damaged("an operation is unknown")
        }
        return (kind, table)
    }

    private mutating func skipChange(_ bytes: Bytes) throws {
        let (kind, table) = try readKind(bytes)
        _ = try readByte(bytes)
        switch (kind, isPatchset) {
        case (.update, false):
            try skipValues(bytes, table, hasKey: true)
            try skipValues(bytes, table, hasKey: false)
        case (.delete, true): try skipValues(bytes, table, hasKey: true, onlyKey: true)
        default: try skipValues(bytes, table, hasKey: true)
        }
    }

    private mutating func skipValues(
        _ bytes: Bytes, _ table: ChangesetTable, hasKey: Bool, onlyKey: Bool = false
    ) throws {
        for keyIndex in table.keyIndexes where keyIndex > 0 || !onlyKey {
            switch try readByte(bytes) {
            case 0, 5: if hasKey, keyIndex > 0 { throw damaged(Self.missingKey) }
            case 1, 2: try skip(bytes, 8)
            case 3, 4: try skip(bytes, readCount(bytes))
            default: throw damaged("a value has no known type")
            }
        }
    }

    /// SQLite reads memory that it does not own for such a key.
    private static let missingKey = "a primary key has no value"

    private mutating func readChange(_ bytes: Bytes) throws -> ChangeValues {
        let start = position
        let (kind, table) = try readKind(bytes)
        let isIndirect = try readByte(bytes) != 0
        let count = table.keyIndexes.count
        let none = [DatabaseValue?](repeating: nil, count: count)
        var change = ChangeValues(kind: kind, isIndirect: isIndirect, old: none, new: none)
        switch (kind, isPatchset) {
        case (.insert, _): change.new = try readValues(bytes, count)
        case (.delete, false): change.old = try readValues(bytes, count)
        case (.update, false):
            change.old = try readValues(bytes, count)
            change.new = try readValues(bytes, count)
        case (.delete, true):
            let columns = table.keyIndexes.indices.filter { table.keyIndexes[$0] > 0 }
            for (column, value) in zip(columns, try readValues(bytes, columns.count)) { change.old[column] = value }
        case (.update, true):
            for (column, value) in try readValues(bytes, count).enumerated() {
                if table.keyIndexes[column] > 0 { change.old[column] = value } else { change.new[column] = value }
            }
        }
        let key = kind == .insert ? change.new : change.old
        guard zip(key, table.keyIndexes).allSatisfy({ $1 == 0 || $0 != nil && $0 != .null }) else {
            throw damaged(Self.missingKey)
        }
        self.change = start..<position
        return change
    }

    private mutating func readValues(_ bytes: Bytes, _ count: Int) throws -> [DatabaseValue?] {
        var values: [DatabaseValue?] = []
        // A count that lies must not reserve memory.
        for _ in 0..<count {
            switch try readByte(bytes) {
            case 0: values.append(nil)
            case 1: values.append(DatabaseValue(storage: .int64(Int64(bitPattern: try readNumber(bytes)))))
            case 2: values.append(DatabaseValue(storage: .double(Double(bitPattern: try readNumber(bytes)))))
            case 3: values.append(String(decoding: try readBytes(bytes, readCount(bytes)), as: UTF8.self).databaseValue)
            case 4: values.append(Data(try readBytes(bytes, readCount(bytes))).databaseValue)
            case 5: values.append(.null)
            default: throw damaged("a value has no known type")
            }
        }
        return values
    }

    private mutating func readByte(_ bytes: Bytes) throws -> UInt8 {
        guard position < bytes.count else { throw damaged(Self.unfinished) }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func skip(_ bytes: Bytes, _ count: Int) throws {
        guard count <= bytes.count - position else { throw damaged(Self.unfinished) }
        position += count
    }

    private mutating func readBytes(_ bytes: Bytes, _ count: Int) throws -> Slice<Bytes> {
        let start = position
        try skip(bytes, count)
        return bytes[start..<position]
    }

    private mutating func readNumber(_ bytes: Bytes) throws -> UInt64 {
        try readBytes(bytes, 8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func readCount(_ bytes: Bytes) throws -> Int {
        var count = 0
        // SQLite's sizes have at most 31 bits.
        for _ in 0..<5 {
            let byte = try readByte(bytes)
            count = count << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0, count <= Int32.max { return count }
        }
        throw damaged("a size is too large")
    }

    private static let unfinished = "the last change does not end"

    private func damaged(_ reason: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "these bytes are no changeset, or a damaged one: \(reason), at byte \(position)")
    }
}

extension DatabaseChange.Kind {
    /// SQLite's code of the operation: SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE.
    var code: UInt8 {
        switch self {
        case .insert: 18
        case .update: 23
        case .delete: 9
        }
    }

    init?(code: UInt8) {
        switch code {
        case 18: self = .insert
        case 23: self = .update
        case 9: self = .delete
        default: return nil
        }
    }
}
