// Descriptions of values: complete, as SQL literals, and truncated, for errors. An error shows the start of a value and
// its size, so building and logging it does not depend on the size of the database's content.

import Foundation

extension DatabaseValue: CustomStringConvertible {
    /// The value as an SQL literal: `NULL`, `1`, `1.5`, `'O''Brien'`, `x'CAFE'`.
    public var description: String { sqlLiteral }

    /// Complexity: O(*n*), where *n* is the number of bytes of the value.
    package var sqlLiteral: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let double):
            double.isFinite ? "\(double)" : (double.isNaN ? "NULL" : (double > 0 ? "9e999" : "-9e999"))
        case .string(let string): string.quotedDatabaseString
        case .blob(let data): "x'" + data.hexadecimal + "'"
        }
    }

    /// The value for an error message: an SQL literal with at most 100 bytes of content, followed by the full size if
    /// truncated.
    ///
    /// Complexity: O(1).
    package var errorDescription: String { errorDescription(limit: Self.maximumErrorSize) }

    /// The same, with another number of bytes of content.
    package func errorDescription(limit: Int) -> String {
        switch storage {
        case .null, .int64, .double:
            return sqlLiteral
        case .string(let string):
            let size = string.utf8.count
            guard size > limit else { return sqlLiteral }
            return String(string.prefix(utf8Count: limit)).quotedDatabaseString.dropLast() + "…' (\(size) bytes)"
        case .blob(let data):
            guard data.count > limit else { return sqlLiteral }
            return "x'" + data.prefix(limit).hexadecimal + "…' (\(data.count) bytes)"
        }
    }

    /// How many bytes of a value an error shows.
    private static let maximumErrorSize = 100
}

extension Data {
    /// Two hexadecimal digits for each byte.
    fileprivate var hexadecimal: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x41 &+ value &- 10 }
        return String(unsafeUninitializedCapacity: 2 * count) { digits in
            var index = 0
            for byte in self {
                digits[index] = digit(byte >> 4)
                digits[index &+ 1] = digit(byte & 0xF)
                index &+= 2
            }
            return index
        }
    }
}
