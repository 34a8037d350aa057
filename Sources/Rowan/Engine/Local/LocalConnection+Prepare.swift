// Preparing statements: one at a time from a text, with or without the cache.

import CSQLite
import Foundation

extension LocalConnection {
    /// Prepares the first statement of a text.
    ///
    /// - Returns: the statement, nil if the text has none (blanks and comments), and the rest of the text.
    package func prepareFirst(
        _ sql: Substring, flags: CUnsignedInt = 0
    ) throws -> (statement: Statement?, rest: Substring) {
        let connection = try openPointer()
        var pointer: SQLiteStatement?
        var text = String(sql)
        // SQLite reads up to the first NUL: what follows would be lost without a word.
        guard !text.utf8.contains(0) else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "unexpected NUL character in SQL", sql: text)
        }
        var code = SQLITE_OK
        let length = text.utf8.count
        let consumed = text.withUTF8 { bytes -> Int in
            bytes.withMemoryRebound(to: CChar.self) { buffer in
                guard let start = buffer.baseAddress, length < CInt.max else { return length }
                var tail: UnsafePointer<CChar>?
                code = sqlite3_prepare_v3(connection, start, CInt(length), flags, &pointer, &tail)
                return tail.map { $0 - start } ?? length
            }
        }
        guard code == SQLITE_OK else { throw error(code, sql: text[...].trimmedStatement) }
        let end = text.utf8.index(text.startIndex, offsetBy: consumed)
        let rest = text[end...]
        guard let pointer else { return (nil, rest) }
        let own = text[..<end].trimmedStatement
        return (Statement(connection: self, pointer: pointer, sql: own), rest)
    }

    /// Prepares a text of exactly one statement.
    package func prepare(_ sql: String, flags: CUnsignedInt = 0) throws -> Statement {
        let (statement, rest) = try prepareFirst(sql[...], flags: flags)
        guard let statement else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql)
        }
        guard rest.isBlankSQL else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "multiple statements found. To execute several statements, use "
                    + "Database.execute(sql:) or Database.allStatements(sql:)",
                sql: sql)
        }
        return statement
    }

    /// The statement of the cache, or a fresh one when it is not there, or busy.
    ///
    /// Complexity: a search in a hash table when the statement is cached.
    package func cachedStatement(_ sql: String) throws -> Statement {
        var sql = sql
        return try sql.withUTF8(cachedStatement(utf8:))
    }

    /// The statement of the cache, or a fresh one when it is not there, or busy.
    package func cachedStatement(utf8 text: UnsafeBufferPointer<UInt8>) throws -> Statement {
        if let statement = statements.value(forUTF8: text) {
            return statement.isLeased ? try prepare(String(decoding: text, as: UTF8.self)) : statement
        }
        let sql = String(decoding: text, as: UTF8.self)
        let statement = try prepare(sql, flags: CUnsignedInt(SQLITE_PREPARE_PERSISTENT))
        statements.setValue(statement, forKey: sql)
        return statement
    }
}

extension StringProtocol {
    /// The text from its first token on: without the blanks, comments and semicolons before it. No statement is
    /// prepared to find out: it may need what the one before it does.
    package var firstSQLToken: SubSequence.UTF8View.SubSequence {
        var rest = self[...].utf8[...]
        while let byte = rest.first {
            switch byte {
            case 0x20, 0x09...0x0D, UInt8(ascii: ";"):
                rest = rest.dropFirst()
            case UInt8(ascii: "-") where rest.starts(with: "--".utf8):
                rest = rest.drop { $0 != 0x0A }
            case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
            default:
                return rest
            }
        }
        return rest
    }

    /// The first word of the text, in upper case.
    package var firstSQLKeyword: String {
        String(decoding: firstSQLToken.prefix { ($0 | 0x20) &- 0x61 < 26 }, as: UTF8.self).uppercased()
    }

    /// Whether a text has no statement: blanks, semicolons, comments.
    package var isBlankSQL: Bool { firstSQLToken.isEmpty }
}

extension Substring {
    /// The text of a statement without the blanks around it, and without its semicolon.
    fileprivate var trimmedStatement: String {
        var text = self
        while let last = text.unicodeScalars.last, last == ";" || last.properties.isWhitespace {
            text.unicodeScalars.removeLast()
        }
        while let first = text.unicodeScalars.first, first.properties.isWhitespace {
            text.unicodeScalars.removeFirst()
        }
        return String(text)
    }
}
