// A text of several statements. SQLite compiles one and reports where the next one begins. The text is copied once,
// with a terminating NUL, which saves SQLite a copy of the remaining text for each statement.

import RowanSQLText
import RowanSQLite
import Foundation

/// The statements of a text, compiled one by one, because each may depend on the effects of the previous one.
package final class SQLScript {
    private let connection: LocalConnection
    /// The NUL-terminated text.
    private let bytes: ContiguousArray<UInt8>
    private var position = 0

    /// - Throws: SQLITE_ERROR for a text with a NUL, SQLITE_TOOBIG for one of 2 GiB or more.
    package init(_ sql: String, _ connection: LocalConnection) throws {
        self.connection = connection
        var sql = sql
        bytes = try sql.withUTF8 { utf8 in
            try SQLBytes.check(utf8)
            return ContiguousArray(unsafeUninitializedCapacity: utf8.count + 1) { buffer, count in
                _ = buffer.initialize(from: utf8)
                buffer.initializeElement(at: utf8.count, to: 0)
                count = utf8.count + 1
            }
        }
    }

    /// Whether no statement remains.
    package var isAtEnd: Bool {
        bytes.withUnsafeBufferPointer { SQLBytes.endOfBlanks($0, from: position) } == bytes.count - 1
    }

    /// Compiles the next statement, or returns nil at the end of the text.
    ///
    /// Complexity: linear in the length of the statement.
    package func next() throws -> Statement? {
        while position < bytes.count - 1 {
            let compiled = try bytes.withUnsafeBufferPointer { buffer in
                let rest = UnsafeBufferPointer(rebasing: buffer[position...])
                return try connection.compile(rest, isTerminated: true)
            }
            position += compiled.length
            if let statement = compiled.statement { return statement }
        }
        return nil
    }
}

/// The structure of SQL text that can be determined without compiling it: whitespace, comments and semicolons.
package enum SQLBytes {
    /// - Throws: SQLITE_ERROR for a NUL, at which SQLite would silently stop; SQLITE_TOOBIG for 2 GiB or more.
    static func check(_ text: UnsafeBufferPointer<UInt8>) throws {
        guard let start = text.baseAddress else { return }
        guard text.count < CInt.max else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG,
                message: "the SQL text has \(text.count) bytes, but SQLite accepts less than 2 GiB: split it")
        }
        guard memchr(start, 0, text.count) == nil else {
            let sql = String(decoding: text, as: UTF8.self)
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: nulMessage(sql), sql: sql)
        }
    }

    private static func nulMessage(_ sql: String) -> String {
        var scanner = SQLScanner(sql)
        while let token = scanner.next() {
            guard scanner[token].utf8.contains(0) else { continue }
            if token.kind == .quotedName, let name = scanner.name(token) {
                return
                    "the name \(name.debugDescription) contains a NUL character, which SQL can't contain: choose another name"
            }
            if token.kind == .text {
                return "a text in SQL contains a NUL character: pass the text as an argument of the statement"
            }
            break
        }
        return "unexpected NUL character in SQL"
    }

    /// The position of the first token, after whitespace, comments and semicolons. No statement is compiled, because it
    /// may depend on the effects of the previous one.
    package static func endOfBlanks(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count {
            switch text[index] {
            case 0x20, 0x09...0x0D, UInt8(ascii: ";"): index += 1
            case UInt8(ascii: "-") where starts(text, "--", at: index): index = find(text, "\n", from: index)
            case UInt8(ascii: "/") where starts(text, "/*", at: index):
                index = min(text.count, find(text, "*/", from: index + 2) + 2)
            default: return index
            }
        }
        return index
    }

    /// Whether a text contains no statement.
    package static func areBlank(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        endOfBlanks(text, from: 0) == text.count
    }

    /// The text of one statement, without surrounding whitespace and semicolons.
    static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var start = 0
        var end = text.count
        while end > start, isBlank(text[end - 1]) || text[end - 1] == UInt8(ascii: ";") { end -= 1 }
        while start < end, isBlank(text[start]) || text[start] == UInt8(ascii: ";") { start += 1 }
        return UnsafeBufferPointer(rebasing: text[start..<end])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0 }

    private static func starts(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString, at index: Int) -> Bool {
        guard index + word.utf8CodeUnitCount <= text.count else { return false }
        return memcmp(text.baseAddress! + index, word.utf8Start, word.utf8CodeUnitCount) == 0
    }

    /// The position of a word, or the end of the text.
    private static func find(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString, from start: Int) -> Int {
        var index = start
        while index < text.count, !starts(text, word, at: index) { index += 1 }
        return min(index, text.count)
    }
}

extension String {
    /// The text of one statement, without surrounding whitespace and semicolons.
    package var trimmedStatement: String {
        var text = self
        return text.withUTF8 { String(decoding: SQLBytes.trimmed($0), as: UTF8.self) }
    }
}
