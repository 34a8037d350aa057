// A text of several statements. SQLite compiles one and reports where the next one begins. The text is copied once,
// with a terminating NUL, which saves SQLite a copy of the remaining text for each statement.

import RowanSQLText
import RowanSQLite
import RowanPlatform

/// The statements of a text, compiled one by one, because each may depend on the effects of the previous one.
package final class SQLScript {
    private let connection: LocalConnection
    /// The NUL-terminated text.
    private let bytes: ContiguousArray<UInt8>
    private var position = 0

    /// - Throws: SQLITE_ERROR for a text with a NUL, SQLITE_TOOBIG for one of 2 GiB or more.
    package init(_ sql: String, _ connection: LocalConnection) throws {
        self.connection = connection
        bytes = try sql.withBytes { utf8 in
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
        bytes.withUnsafeBufferPointer { SQLBytes.areBlank(UnsafeBufferPointer(rebasing: $0[position...].dropLast())) }
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

extension SQLBytes {
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
        let scanner = SQLScanner(sql)
        for token in scanner {
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
}
