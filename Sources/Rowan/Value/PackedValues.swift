// Values copied from a statement, stored contiguously, with the bytes of their texts and blobs in a second buffer. A
// copied row needs no allocation per value, and many rows share the two buffers (benchmark fetch-rows). A value becomes
// a separate string or blob on demand.

import RowanPlatform
import RowanSQLite

/// A copied value, in 16 bytes.
@usableFromInline
@frozen
package struct PackedValue {
    /// An integer, the bits of a double, or the offset of the bytes of a text or blob.
    @usableFromInline let word: Int64

    /// The storage class in the three lowest bits, using SQLite's numbers; the number of bytes in the others.
    @usableFromInline let typeAndCount: Int

    @inlinable
    init(word: Int64, type: CInt, count: Int = 0) {
        self.word = word
        typeAndCount = count &<< 3 | Int(truncatingIfNeeded: type)
    }

    /// One of SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB and SQLITE_NULL.
    @inlinable var type: CInt { CInt(truncatingIfNeeded: typeAndCount & 7) }

    /// The number of bytes of a text or a blob.
    @inlinable var count: Int { typeAndCount &>> 3 }
}

/// The values of copied rows. All values are appended before any is read, and never change afterwards.
///
/// Not `Sendable`: like rows, it must not be shared between threads.
@usableFromInline
package final class PackedValues {
    // No exclusivity check, because every read accesses it.
    @exclusivity(unchecked) @usableFromInline private(set) var count = 0
    /// `count` values, with room for `capacity`. Only this class allocates, moves and frees this memory.
    @exclusivity(unchecked) @usableFromInline private(set) var values: UnsafeMutablePointer<PackedValue>
    @exclusivity(unchecked) private var capacity: Int
    /// The bytes that the values refer to.
    @exclusivity(unchecked) @usableFromInline private(set) var bytes: UnsafeMutableRawPointer
    @exclusivity(unchecked) package private(set) var byteCount = 0
    @exclusivity(unchecked) private var byteCapacity: Int

    /// - Parameters:
    ///   - capacity: the expected number of values.
    ///   - byteCapacity: the expected size of all texts and blobs.
    package init(capacity: Int, byteCapacity: Int) {
        self.capacity = max(capacity, 1)
        self.byteCapacity = max(byteCapacity, 1)
        values = .allocate(capacity: self.capacity)
        bytes = .allocate(byteCount: self.byteCapacity, alignment: 1)
    }

    /// A copy of values.
    convenience init(_ values: [DatabaseValue]) {
        self.init(capacity: values.count, byteCapacity: 0)
        for value in values { append(value) }
    }

    deinit {
        values.deallocate()
        bytes.deallocate()
    }

    /// Copies the current row of a statement.
    ///
    /// - Precondition: the statement has a current row with this number of columns.
    package func append(_ statement: SQLiteStatement, width: Int) {
        if count &+ width > capacity { reserve(width) }
        for index in 0..<width {
            // Fetched once and read several times. An unprotected value may be read by the connection's only user:
            // https://sqlite.org/c3ref/value.html
            let value = sqlite3_column_value(statement, CInt(truncatingIfNeeded: index))
            let type = sqlite3_value_type(value)
            let packed: PackedValue
            switch type {
            case SQLITE_INTEGER:
                packed = PackedValue(word: sqlite3_value_int64(value), type: type)
            case SQLITE_FLOAT:
                packed = PackedValue(word: Int64(bitPattern: sqlite3_value_double(value).bitPattern), type: type)
            case SQLITE_TEXT:
                let text = sqlite3_value_text(value)
                packed = append(type, UnsafeRawPointer(text), Int(sqlite3_value_bytes(value)))
            case SQLITE_BLOB:
                let blob = sqlite3_value_blob(value)
                packed = append(type, blob, Int(sqlite3_value_bytes(value)))
            default:
                packed = PackedValue(word: 0, type: SQLITE_NULL)
            }
            (values + count).initialize(to: packed)
            count &+= 1
        }
    }

    private func append(_ value: DatabaseValue) {
        if count == capacity { reserve(1) }
        let packed: PackedValue
        switch value.storage {
        case .null: packed = PackedValue(word: 0, type: SQLITE_NULL)
        case .int64(let integer): packed = PackedValue(word: integer, type: SQLITE_INTEGER)
        case .double(let double): packed = PackedValue(word: Int64(bitPattern: double.bitPattern), type: SQLITE_FLOAT)
        case .string(let text): packed = text.withBytes { append(SQLITE_TEXT, $0.baseAddress, $0.count) }
        case .blob(let data): packed = data.withUnsafeBytes { append(SQLITE_BLOB, $0.baseAddress, $0.count) }
        }
        (values + count).initialize(to: packed)
        count &+= 1
    }

    /// Appends bytes of a value.
    @inline(__always)
    private func append(_ type: CInt, _ start: UnsafeRawPointer?, _ count: Int) -> PackedValue {
        guard let start, count > 0 else { return PackedValue(word: 0, type: type) }
        if byteCount &+ count > byteCapacity { reserveBytes(count) }
        let position = byteCount
        (bytes + position).copyMemory(from: start, byteCount: count)
        byteCount = position &+ count
        return PackedValue(word: Int64(truncatingIfNeeded: position), type: type, count: count)
    }

    @inline(never)
    private func reserve(_ needed: Int) {
        capacity = max(count + needed, 2 * capacity)
        let larger = UnsafeMutablePointer<PackedValue>.allocate(capacity: capacity)
        larger.moveInitialize(from: values, count: count)
        values.deallocate()
        values = larger
    }

    @inline(never)
    private func reserveBytes(_ needed: Int) {
        byteCapacity = max(byteCount + needed, 2 * byteCapacity)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: byteCapacity, alignment: 1)
        larger.copyMemory(from: bytes, byteCount: byteCount)
        bytes.deallocate()
        bytes = larger
    }

    /// The value at a position.
    @inlinable
    subscript(_ position: Int) -> PackedColumn {
        precondition(UInt(bitPattern: position) < UInt(bitPattern: count), "value out of range")
        return PackedColumn(value: UnsafePointer(values + position), bytes: UnsafeRawPointer(bytes))
    }
}
