// One copied value, read in place: numbers directly, texts and blobs from the bytes that the values of many rows share.
// Other conversions go through a `DatabaseValue`, with the results that SQLite would give for the column.

public import RowanSQLite
public import RowanPlatform

/// A value copied out of a row, together with those of other rows.
///
/// - Important: it is valid only during the lifetime of its row.
@frozen
public struct PackedColumn {
    // Only `PackedValues` creates columns, for its own values, after checking the position. The row keeps the memory
    // alive while it is read.
    @usableFromInline let value: UnsafePointer<PackedValue>
    @usableFromInline let bytes: UnsafeRawPointer

    @inlinable
    init(value: UnsafePointer<PackedValue>, bytes: UnsafeRawPointer) {
        self.value = value
        self.bytes = bytes
    }

    /// One of SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB and SQLITE_NULL.
    @inlinable package var type: CInt { value.pointee.type }

    /// The value of an integer.
    package var integer: Int64 { value.pointee.word }

    /// The value of a double.
    package var number: Double { Double(bitPattern: UInt64(bitPattern: value.pointee.word)) }

    /// The bytes of a text or a blob.
    @inlinable
    package var buffer: UnsafeBufferPointer<UInt8> {
        let value = value.pointee
        let start = bytes.advanced(by: Int(truncatingIfNeeded: value.word)).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: value.count)
    }

    /// Calls the closure with the bytes of a text. Returns nil for other values.
    @inlinable
    func withText<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T?) -> T? {
        type == SQLITE_TEXT ? body(buffer) : nil
    }

    /// A copy of the value, with its storage class.
    @usableFromInline
    package var databaseValue: DatabaseValue {
        let value = value.pointee
        return switch value.type {
        case SQLITE_INTEGER: DatabaseValue(storage: .int64(value.word))
        case SQLITE_FLOAT: DatabaseValue(storage: .double(Double(bitPattern: UInt64(bitPattern: value.word))))
        case SQLITE_TEXT: DatabaseValue(storage: .string(String(decoding: buffer, as: UTF8.self)))
        case SQLITE_BLOB: DatabaseValue(storage: .blob(Data(buffer)))
        default: .null
        }
    }
}

extension PackedColumn {
    @inlinable
    func int64(strict: Bool) -> Int64? {
        let value = value.pointee
        return value.type == SQLITE_INTEGER ? value.word : convertedInt64(strict)
    }

    @inlinable
    func double(strict: Bool) -> Double? {
        let value = value.pointee
        guard value.type == SQLITE_FLOAT else { return convertedDouble(strict) }
        return Double(bitPattern: UInt64(bitPattern: value.word))
    }

    @inlinable
    func string(strict: Bool) -> String? {
        guard !strict, type == SQLITE_TEXT else { return convertedString(strict) }
        return String(decoding: buffer, as: UTF8.self)
    }

    @usableFromInline
    func data(strict: Bool) -> Data? {
        switch type {
        case SQLITE_BLOB: Data(buffer)
        case SQLITE_TEXT: strict ? nil : Data(buffer)
        default: databaseValue.convertedData(strict: strict)
        }
    }

    @usableFromInline
    func convertedInt64(_ strict: Bool) -> Int64? {
        type == SQLITE_NULL ? nil : databaseValue.convertedInt64(strict: strict)
    }

    @usableFromInline
    func convertedDouble(_ strict: Bool) -> Double? {
        type == SQLITE_NULL ? nil : databaseValue.convertedDouble(strict: strict)
    }

    @usableFromInline
    func convertedString(_ strict: Bool) -> String? {
        switch type {
        case SQLITE_NULL: nil
        case SQLITE_TEXT: String(validating: buffer, as: UTF8.self)
        default: databaseValue.convertedString(strict: strict)
        }
    }
}
