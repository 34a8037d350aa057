// Descriptions of values: complete, truncated for errors, and as SQL literals. An error shows the start of a value and
// its size, so the cost of building and logging it does not depend on the size of the content.

import RowanPlatform

extension DatabaseValue: CustomStringConvertible {
    /// The value in Swift syntax, or the size of a blob: `NULL`, `1`, `1.5`, `"O\'Brien"`, `Data(2 bytes)`.
    public var description: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let double):
            switch bindingRefusal {
            case nil: String(double)
            case Self.unstorableDateCode: "a date that could not be read back"
            case Self.unstorableVectorCode: "a vector that can't be stored"
            default: "an integer above \(Int64.max)"
            }
        case .string(let string): string.debugDescription
        case .blob(let data): "Data(\(data.count) bytes)"
        }
    }

    /// The value for an error message: at most 100 bytes of a text, followed by the full size if truncated.
    ///
    /// Complexity: O(1).
    package var errorDescription: String { errorDescription(limit: 100) }

    /// The value for an error message, with another number of bytes.
    package func errorDescription(limit: Int) -> String {
        guard case .string(let string) = storage, string.utf8.count > limit else { return description }
        return String(string.prefix(utf8Count: limit)).debugDescription.dropLast() + "…\" (\(string.utf8.count) bytes)"
    }

    /// The storage class: `NULL`, `INTEGER`, `REAL`, `TEXT`, `BLOB`. <https://sqlite.org/datatype3.html>
    package var storageClass: String {
        switch storage {
        case .null: "NULL"
        case .int64: "INTEGER"
        case .double: "REAL"
        case .string: "TEXT"
        case .blob: "BLOB"
        }
    }

    /// The value for an error message that must not show values.
    package var errorOutline: String {
        switch storage {
        case .null: "database value NULL"
        case .int64: "an INTEGER"
        case .double, .string, .blob: "a \(storageClass)"
        }
    }

    /// The value as an SQL literal: `NULL`, `1`, `1.5`, `'O''Brien'`, `x'CAFE'`. SQL can't contain NUL characters, so a
    /// text that does becomes an expression, `replace('a\0b','\0',char(0))`.
    ///
    /// Complexity: O(*n*), where *n* is the number of bytes in the value.
    package var sqlLiteral: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let double):
            double.isFinite ? "\(double)" : (double.isNaN ? "NULL" : (double > 0 ? "9e999" : "-9e999"))
        case .string(let string): string.utf8.contains(0) ? string.expressionWithoutNUL : string.quotedDatabaseString
        case .blob(let data): "x'" + data.hexadecimal + "'"
        }
    }

    /// Whether the value is a text that contains a NUL character.
    package var hasNUL: Bool {
        if case .string(let string) = storage { string.utf8.contains(0) } else { false }
    }
}

extension String {
    fileprivate var expressionWithoutNUL: String {
        // A backslash, followed by enough zeros for the text not to contain it.
        var mark = "\\0"
        while utf8.firstRange(of: mark.utf8) != nil { mark += "0" }
        let parts = utf8.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        return "replace(\(parts.joined(separator: mark).quotedDatabaseString),'\(mark)',char(0))"
    }
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
