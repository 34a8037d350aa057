// The fields of requests: words, text and the values of parameters.

import RowanPlatform
import Rowan

extension [UInt8] {
    /// Appends the eight bytes of a number, lowest first.
    mutating func append(word: UInt64) {
        Swift.withUnsafeBytes(of: word.littleEndian) { append(contentsOf: $0) }
    }

    /// Replaces the word at an offset.
    mutating func replace(at offset: Int, word: UInt64) {
        withUnsafeMutableBytes { $0.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self) }
    }

    /// Appends zeros, up to the next word.
    private mutating func pad() {
        let padding = -count & 7
        if padding > 0 { append(contentsOf: repeatElement(0, count: padding)) }
    }

    /// Appends text with its terminating NUL.
    ///
    /// - Parameter role: what the text is, for the error.
    /// - Throws: SQLITE_MISUSE for text with a NUL character, at which a node would silently cut it.
    mutating func append(text: String, _ role: @autoclosure () -> String) throws(DatabaseError) {
        var text = text
        let hasNUL = text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return false }
            append(contentsOf: bytes)
            return memchr(start, 0, bytes.count) != nil
        }
        guard !hasNUL else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "\(role()) contains a NUL character, at which a cluster would cut the text: "
                    + "remove the character, or send a blob")
        }
        append(0)
        pad()
    }

    /// Appends the values of parameters: their number, types and contents.
    ///
    /// - Throws: SQLITE_TOOBIG for too many values; SQLITE_MISUSE for text with a NUL character; SQLITE_MISMATCH for a
    ///   value that can't be stored.
    mutating func append(_ values: [DatabaseValue]) throws(DatabaseError) {
        guard !values.isEmpty else { return }
        // The number is one byte: a node would interpret 256 values as none.
        guard let count = UInt8(exactly: values.count) else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG,
                message: "the statement has \(values.count) parameters, too many for a cluster: use at most 255")
        }
        append(count)
        for value in values { append(value.wireType) }
        pad()
        for (index, value) in values.enumerated() { try append(value, at: index) }
    }

    private mutating func append(_ value: DatabaseValue, at index: Int) throws(DatabaseError) {
        switch value.storage {
        case .null: append(word: 0)
        case .int64(let integer): append(word: UInt64(bitPattern: integer))
        case .double(let double):
            if let code = value.bindingRefusal, let error = DatabaseError.unstorable(code, "parameter \(index + 1)") {
                throw error
            }
            append(word: double.isNaN ? 0 : double.bitPattern)
        case .string(let text): try append(text: text, "the text of parameter \(index + 1)")
        case .blob(let data):
            append(word: UInt64(data.count))
            data.withUnsafeBytes { append(contentsOf: $0) }
            pad()
        }
    }
}

/// The types of values in requests and rows.
enum WireType {
    static let integer: UInt8 = 1
    static let double: UInt8 = 2
    static let text: UInt8 = 3
    static let blob: UInt8 = 4
    static let null: UInt8 = 5
    static let unixTime: UInt8 = 9
    static let isoText: UInt8 = 10
    static let boolean: UInt8 = 11
}

extension DatabaseValue {
    fileprivate var wireType: UInt8 {
        switch storage {
        case .null: WireType.null
        case .int64: WireType.integer
        // SQLite stores NaN as NULL.
        case .double(let double): double.isNaN ? WireType.null : WireType.double
        case .string: WireType.text
        case .blob: WireType.blob
        }
    }
}
