// Copied values as keys, hashed and compared in place.

import RowanSQLite
import RowanPlatform

extension PackedColumn {
    /// The value of an integer or of an integral double: SQLite considers them equal.
    package var wholeNumber: Int64? {
        switch type {
        case SQLITE_INTEGER: integer
        case SQLITE_FLOAT: Int64(exactly: number)
        default: nil
        }
    }

    package var isText: Bool { type == SQLITE_TEXT }

    /// Hashes the value. Returns false for NULL.
    package func hash(into hasher: inout Hasher) -> Bool {
        if let wholeNumber {
            hasher.combine(wholeNumber)
            return true
        }
        switch type {
        case SQLITE_FLOAT:
            hasher.combine(number)
        case SQLITE_TEXT, SQLITE_BLOB:
            let buffer = buffer
            hasher.combine(buffer.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(buffer))
        default:
            return false
        }
        return true
    }

    /// Whether two values are the same key. Texts are compared by their bytes, because Swift considers canonically
    /// equivalent texts equal.
    package func isSameKey(as other: PackedColumn) -> Bool {
        if let wholeNumber { return wholeNumber == other.wholeNumber }
        guard type == other.type else { return false }
        switch type {
        case SQLITE_FLOAT:
            return number == other.number
        case SQLITE_TEXT, SQLITE_BLOB:
            let (buffer, otherBuffer) = (buffer, other.buffer)
            guard buffer.count == otherBuffer.count, let start = buffer.baseAddress else { return false }
            return memcmp(start, otherBuffer.baseAddress!, buffer.count) == 0
        default:
            return false
        }
    }
}
