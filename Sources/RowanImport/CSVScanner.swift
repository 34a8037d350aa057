// The records of CSV, in the buffer they were read into: no value is copied. Quotes are removed in place, so a record can be
// scanned only once. Source: https://www.rfc-editor.org/rfc/rfc4180

import Rowan
import RowanPlatform

/// Reads the records of a stream of bytes.
struct CSVScanner: ~Copyable {
    /// A value of the current record.
    struct Field {
        /// The position in the record.
        var start: Int
        var count: Int
        var isQuoted: Bool
    }

    /// The values of the current record.
    private(set) var fields: [Field] = []
    /// The line on which the current record begins.
    private(set) var line = 1

    private let separator: UInt8
    private var buffer: ImportBuffer
    /// The end of the current record, from its start.
    private var length = 0
    private var nextLine = 1

    init(_ source: any ImportSource, separator: UInt8, capacity: Int = 1 << 16) throws {
        self.separator = separator
        buffer = try ImportBuffer(source, capacity: capacity)
    }

    /// The bytes of a value, which are valid until the next record is read.
    func bytes(_ field: Field) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: buffer.bytes + field.start, count: field.count)
    }

    /// Reads the next record.
    ///
    /// - Returns: false at the end.
    /// - Throws: an ``ImportError``, after which the next record can be read, or the error of the source.
    mutating func next() throws -> Bool {
        buffer.pass(length)
        length = 0
        line = nextLine
        fields.removeAll(keepingCapacity: true)
        guard try byte(at: 0) != nil else { return false }
        while try readField() {}
        return true
    }

    // MARK: The values

    /// Reads a value and the separator or the end of the line after it.
    ///
    /// - Returns: whether another value follows.
    private mutating func readField() throws -> Bool {
        if try byte(at: length) == Self.quote { return try readQuotedField() }
        var field = Field(start: length, count: 0, isQuoted: false)
        repeat { length = endOfPlainText(from: length) } while try length == buffer.count && read()
        field.count = length - field.start
        fields.append(field)
        return try readEndOfField()
    }

    /// The position of the first separator or end of a line in what has been read.
    private func endOfPlainText(from start: Int) -> Int {
        let (bytes, limit) = (buffer.bytes, buffer.count)
        var index = start
        while index < limit {
            let byte = bytes[index]
            if byte == separator || byte == Self.lineFeed || byte == Self.carriageReturn { break }
            index &+= 1
        }
        return index
    }

    private mutating func readQuotedField() throws -> Bool {
        let firstLine = nextLine
        var field = Field(start: length + 1, count: 0, isQuoted: true)
        length += 1
        var from = length
        while true {
            guard let quote = try positionOfQuote(from: from) else {
                length = buffer.count
                throw ImportError(buffer.source.name, line: firstLine, field: fields.count, "a quoted value has no end")
            }
            move(from..<quote, to: field.start + field.count)
            field.count += quote - from
            length = quote + 1
            guard try byte(at: length) == Self.quote else { break }
            // Two quotes stand for one.
            move(quote..<quote + 1, to: field.start + field.count)
            field.count += 1
            length += 1
            from = length
        }
        fields.append(field)
        return try readEndOfField()
    }

    /// The position of the next quote.
    private mutating func positionOfQuote(from start: Int) throws -> Int? {
        var index = start
        repeat {
            let (bytes, limit) = (buffer.bytes, buffer.count)
            while index < limit {
                let byte = bytes[index]
                if byte == Self.quote { return index }
                if byte == Self.lineFeed || byte == Self.carriageReturn,
                    !(byte == Self.lineFeed && isAfterReturn(index))
                {
                    nextLine += 1
                }
                index &+= 1
            }
        } while try read()
        return nil
    }

    private func isAfterReturn(_ index: Int) -> Bool { index > 0 && buffer.bytes[index - 1] == Self.carriageReturn }

    /// Moves bytes of the record.
    private func move(_ range: Range<Int>, to position: Int) {
        guard range.lowerBound != position else { return }
        memmove(buffer.bytes + position, buffer.bytes + range.lowerBound, range.count)
    }

    /// Reads what follows a value.
    ///
    /// - Returns: whether it is a separator.
    private mutating func readEndOfField() throws -> Bool {
        if try byte(at: length) == separator {
            length += 1
            return true
        }
        guard try !readEndOfLine() else { return false }
        let line = nextLine
        repeat { length = endOfLine(from: length) } while try length == buffer.count && read()
        _ = try readEndOfLine()
        throw ImportError(
            buffer.source.name, line: line, field: fields.count - 1, "text follows the quote that ends the value")
    }

    /// Reads the end of a line or of the source.
    ///
    /// - Returns: false before other text.
    private mutating func readEndOfLine() throws -> Bool {
        switch try byte(at: length) {
        case nil: return true
        case Self.lineFeed: length += 1
        case Self.carriageReturn:
            length += 1
            if try byte(at: length) == Self.lineFeed { length += 1 }
        default: return false
        }
        nextLine += 1
        return true
    }

    private func endOfLine(from start: Int) -> Int {
        var index = start
        while index < buffer.count, buffer.bytes[index] != Self.lineFeed, buffer.bytes[index] != Self.carriageReturn {
            index += 1
        }
        return index
    }

    // MARK: The bytes

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// The byte at a position of the record; nil at the end of the source.
    private mutating func byte(at position: Int) throws -> UInt8? { try buffer.byte(at: position, line: line) }

    /// Reads more bytes.
    private mutating func read() throws -> Bool { try buffer.read(line: line) }
}
