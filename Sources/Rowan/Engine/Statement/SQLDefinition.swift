// A definition in the schema of a file. SQLite compiles the first statement of the text and ignores the rest, so a
// crafted file can hide other statements behind it. Code that runs a definition, or writes it into a script, must first
// convert it to this type.

import RowanSQLText

/// The statement that creates an object of a schema, and nothing else.
///
/// Source: <https://sqlite.org/schematab.html>
package struct SQLDefinition: Sendable {
    /// The statement, without a semicolon. If it ends with a comment, the comment is closed or ends with the line.
    package let sql: String
    package let isVirtualTable: Bool
    package let isUniqueIndex: Bool
    private let endsInLineComment: Bool
    private let afterCreate: String

    /// - Parameters:
    ///   - sql: the text in `sqlite_master`.
    ///   - type: the type of the object there: `table`, `index`, `view` or `trigger`.
    ///   - name: the name of the object there.
    /// - Throws: SQLITE_CORRUPT if the text is anything but a single statement that creates this object.
    /// - Complexity: linear in the length of the text.
    package init(_ sql: String, type: String, name: String) throws {
        var reader = Reader(sql)
        guard !sql.utf8.contains(0), reader.readHead(type: type, name: name) else {
            throw DatabaseError.refusedDefinition(type, name, "isn't a statement that creates this \(type)")
        }
        switch reader.readRest(isTrigger: type == "trigger") {
        case .isComplete: break
        case .isOpen: throw DatabaseError.refusedDefinition(type, name, "has no end")
        case .isFollowed:
            throw DatabaseError.refusedDefinition(
                type, name, "is followed by other SQL, which a crafted file can use to run statements")
        }
        self.sql = reader.text
        (isVirtualTable, isUniqueIndex) = (reader.isVirtualTable, reader.isUniqueIndex)
        (endsInLineComment, afterCreate) = (reader.endsInLineComment, reader.afterCreate)
    }

    /// The statement with its semicolon, for a script. A comment at its end would hide a semicolon on the same line.
    package var terminated: String { sql + (endsInLineComment ? "\n;" : ";") }

    /// The statement that creates the same object in the temporary schema, which SQLite stores without `TEMPORARY`.
    package var temporary: String { "CREATE TEMPORARY\(afterCreate)" }
}

extension SQLDefinition {
    private struct Reader {
        private var scanner: SQLScanner
        private var last: SQLScanner.Token?
        private var end: Int
        private var createEnd = 0
        private(set) var isVirtualTable = false
        private(set) var isUniqueIndex = false

        enum Rest { case isComplete, isOpen, isFollowed }

        init(_ sql: String) {
            scanner = SQLScanner(sql)
            end = sql.utf8.count
        }

        /// The next token that is not a comment.
        private mutating func next() -> SQLScanner.Token? {
            while let token = scanner.next() {
                last = token
                if !token.isComment { return token }
            }
            return nil
        }

        /// Skips a keyword if it is the next token.
        private mutating func take(_ keyword: String) -> Bool {
            var reader = self
            guard let token = reader.next(), reader.isWord(token, keyword) else { return false }
            self = reader
            return true
        }

        private func isWord(_ token: SQLScanner.Token, _ keyword: String) -> Bool {
            token.kind == .word && scanner[token].isSameDatabaseName(as: keyword)
        }

        /// Skips `CREATE TABLE name` and its variants, as SQLite stores them.
        ///
        /// - Returns: whether the text begins this way.
        mutating func readHead(type: String, name: String) -> Bool {
            guard take("create"), let last else { return false }
            createEnd = last.range.upperBound
            if type == "table" { isVirtualTable = take("virtual") }
            if type == "index" { isUniqueIndex = take("unique") }
            guard take(type) else { return false }
            // SQLite does not store these words but accepts them.
            if take("if") { guard take("not"), take("exists") else { return false } }
            guard let token = next(), let found = scanner.name(token) else { return false }
            return found.isSameDatabaseName(as: name)
        }

        /// Skips the rest of the statement. The statements in a trigger have semicolons, and its END follows one.
        mutating func readRest(isTrigger: Bool) -> Rest {
            var isAfterSemicolon = false
            var isComplete = !isTrigger
            while let token = next() {
                let isSemicolon = token.kind == .symbol && scanner[token] == ";"
                if isSemicolon, isComplete {
                    end = token.range.lowerBound
                    last = nil
                    return hasOnlyBlanks() ? .isComplete : .isFollowed
                }
                if isTrigger, isComplete { return .isFollowed }
                if !token.isClosed { return .isOpen }
                if isAfterSemicolon, isWord(token, "end") { isComplete = true }
                isAfterSemicolon = isSemicolon
            }
            return isComplete ? .isComplete : .isOpen
        }

        private mutating func hasOnlyBlanks() -> Bool {
            while let token = next() {
                guard token.kind == .symbol, scanner[token] == ";" else { return false }
            }
            last = nil
            return true
        }

        var endsInLineComment: Bool { last?.kind == .lineComment }

        /// The end of the last comment.
        private var closing: String { last.map { $0.kind == .blockComment && !$0.isClosed } ?? false ? " */" : "" }

        var text: String { scanner[0..<end] + closing }
        var afterCreate: String { scanner[createEnd..<end] + closing }
    }
}

extension DatabaseError {
    fileprivate static func refusedDefinition(_ type: String, _ name: String, _ reason: String) -> DatabaseError {
        let advice = type == "table" ? "copy its rows to a new table" : "drop the \(type), and create it again"
        return DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "the definition of \(type) \(name) in the schema \(reason): \(advice)")
    }
}
