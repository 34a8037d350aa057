// The schema that statements are checked against: an empty database in memory.

import RowanSQLText
import RowanSQLite
import Foundation

/// An empty database with the tables of a schema.
final class SchemaDatabase {
    let connection: OpaquePointer
    /// The tables of record types that don't follow from the names of the types.
    private(set) var recordTables: [String: String] = [:]

    /// - Parameter schema: SQL statements, and comments that declare what SQL can't express.
    init(_ schema: String) throws(SchemaError) {
        // A byte order mark is not part of the first line.
        let schema = schema.unicodeScalars.first == "\u{FEFF}" ? String(schema.unicodeScalars.dropFirst()) : schema
        var pointer: OpaquePointer?
        guard sqlite3_open_v2(":memory:", &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK,
            let pointer
        else {
            sqlite3_close(pointer)
            throw SchemaError("SQLite can't open a database in memory", line: 1)
        }
        connection = pointer
        // As in Rowan's connections: "name" is a column, never text.
        _ = rowan_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = rowan_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0)
        _ = execute("PRAGMA max_page_count = \(Self.maximumPageCount)")
        // The connection serves all expansions, and only the schema changes it. It may not run pragmas.
        sqlite3_set_authorizer(connection, { _, action, name, _, _, _ in allowed(action, name) }, nil)
        sqlite3_progress_handler(
            connection, CInt(Budget.steps),
            // Invariant: the object that owns the budget closes the connection.
            { Unmanaged<Budget>.fromOpaque($0!).takeUnretainedValue().isSpent ? 1 : 0 },
            Unmanaged.passUnretained(budget).toOpaque())
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Self.maximumLength)
        for collation in BuiltInCollation.allCases { addCollation(collation.rawValue) }
        for function in BuiltInFunction.allCases { addFunction(.function, function.rawValue, 1) }
        let bytes = Array(schema.utf8)
        if let nul = bytes.firstIndex(of: 0) {
            throw SchemaError("SQL has no NUL characters: remove this one", line: line(at: nul, in: bytes))
        }
        let declaredTables = try declare(bytes)
        try load(bytes, except: declaredTables)
        // From now on, statements are only compiled.
        sqlite3_progress_handler(connection, 0, nil, nil)
    }

    private let budget = Budget()
    /// The maximum number of bytes in text or a blob.
    private static let maximumLength: CInt = 1_000_000
    /// The maximum size of the database: 64 MB.
    private static let maximumPageCount = 16_384

    /// The limit for the total cost of the statements of a schema.
    private final class Budget {
        /// The number of SQLite virtual machine instructions between two checks.
        static let steps = 1_000
        /// About a second, unless an instruction writes many bytes.
        private var remainingChecks = 20_000
        private let start = clock()

        var isSpent: Bool {
            remainingChecks -= 1
            return remainingChecks < 0 || clock() - start > 10 * CLOCKS_PER_SEC
        }
    }

    deinit { sqlite3_close_v2(connection) }

    /// Adds what the comments declare. Returns the names of the tables in lower case.
    private func declare(_ schema: [UInt8]) throws(SchemaError) -> Set<String> {
        var tables: Set<String> = []
        for (directive, line) in try SchemaDirective.all(in: schema) {
            switch directive {
            case .function(let kind, let name, let count): addFunction(kind, name, count)
            case .collation(let name): addCollation(name)
            case .tokenizer(let name): addTokenizer(name)
            case .record(let type, let table): recordTables[type] = table
            case .table(let name, let definition):
                if let problem = execute("CREATE TABLE \(definition)") { throw SchemaError(problem, line: line) }
                tables.insert(name.lowercased())
            }
        }
        return tables
    }

    private var message: String { String(cString: sqlite3_errmsg(connection)) }

    /// Runs statements. Returns the error, if any.
    private func execute(_ sql: String) -> String? {
        sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK ? nil : message
    }

    private func load(_ schema: [UInt8], except declaredTables: Set<String>) throws(SchemaError) {
        var failure: SchemaError?
        forEachStatement(schema) { statement, range in
            if let statement {
                var code = sqlite3_step(statement)
                while code == SQLITE_ROW { code = sqlite3_step(statement) }
                if code == SQLITE_DONE { return true }
            }
            let message = message
            let tokens = sqlTokens(Array(schema[range])).filter { $0.kind != .comment }
            if let table = createdTable(tokens.prefix(9).map(\.text)) {
                // SQLite creates its own tables: the shell lists them, but they can't be created otherwise.
                if declaredTables.contains(table) || table.hasPrefix("sqlite_") { return true }
            }
            let place = range.lowerBound + (tokens.first?.range.lowerBound ?? 0)
            failure = SchemaError(message, line: line(at: place, in: schema))
            return false
        }
        if let failure { throw failure }
    }

    /// Compiles the statements of an SQL text one by one.
    ///
    /// - Parameters:
    ///   - sql: SQL text without NUL characters.
    ///   - body: receives nil for a statement with an error, and the position of the statement. Returns whether to
    ///     continue.
    private func forEachStatement(_ sql: [UInt8], _ body: (OpaquePointer?, Range<Int>) -> Bool) {
        (sql + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                guard let base = text.baseAddress else { return }
                var offset = 0
                while offset < sql.count {
                    var statement: OpaquePointer?
                    var tail: UnsafePointer<CChar>?
                    let code = sqlite3_prepare_v2(
                        connection, base + offset, CInt(text.count - offset), &statement, &tail)
                    defer { sqlite3_finalize(statement) }
                    let start = offset
                    // SQLite reports no tail of a statement with an error.
                    offset =
                        code == SQLITE_OK
                        ? tail.map { base.distance(to: $0) } ?? sql.count : endOfStatement(sql, from: offset)
                    // A comment is not a statement.
                    if code == SQLITE_OK, statement == nil { continue }
                    guard body(statement, start..<offset) else { return }
                }
            }
        }
    }

    /// The start of a statement after its spaces and comments.
    private func firstByte(_ sql: [UInt8], _ start: Int) -> Int {
        start + (sqlTokens(Array(sql[start...])).first { $0.kind != .comment }?.range.lowerBound ?? 0)
    }

    private func endOfStatement(_ sql: [UInt8], from start: Int) -> Int {
        var end = start
        while end < sql.count {
            end += 1
            guard sql[end - 1] == UInt8(ascii: ";") else { continue }
            if sqlite3_complete(String(decoding: sql[start..<end], as: UTF8.self)) != 0 { break }
        }
        return end
    }

    // MARK: Checks

    /// What SQLite reports about a text.
    struct Finding: Equatable {
        let message: String
        /// The position in the text, in bytes.
        let offset: Int
        /// The name that is unknown to SQLite.
        var unknown: SQLToken?
        /// A name of the schema that resembles it.
        var suggestion: String?
    }

    /// Compiles all statements of a text.
    ///
    /// - Parameter sql: SQL text without NUL characters.
    /// - Returns: the first error, and the number of statements.
    func check(_ sql: [UInt8]) -> (finding: Finding?, statements: Int) {
        var statements = 0
        var finding: Finding?
        forEachStatement(sql) { statement, range in
            guard statement != nil else {
                finding = self.finding(sql, from: range.lowerBound)
                return false
            }
            statements += 1
            return true
        }
        return (finding, statements)
    }

    /// The position of the last error in a text.
    private func finding(_ sql: [UInt8], from start: Int) -> Finding {
        let (message, offset) = (message, Int(rowan_error_offset(connection)))
        if let wanted = unknownName(message) {
            let words = sqlWords(sql).filter { $0.range.lowerBound >= start }
            let same = words.filter { $0.text.lowercased() == wanted.name.lowercased() }
            // In `place.titel`, the word `titel` follows a point.
            if let word = same.first(where: { $0.followsPoint == wanted.isQualified }) ?? same.first {
                let suggestion = suggestion(for: wanted, words)
                return Finding(
                    message: message, offset: word.range.lowerBound, unknown: word, suggestion: suggestion)
            }
        }
        if offset >= 0 { return Finding(message: message, offset: min(start + offset, sql.count)) }
        return Finding(message: message, offset: message == "incomplete input" ? sql.count : firstByte(sql, start))
    }
}

/// Whether a statement may be compiled. Pragmas are ignored, because some take effect while they are compiled.
private func allowed(_ action: CInt, _ name: UnsafePointer<CChar>?) -> CInt {
    switch action {
    case SQLITE_PRAGMA: name.map { String(cString: $0) }?.lowercased() == "table_xinfo" ? SQLITE_OK : SQLITE_IGNORE
    case SQLITE_ATTACH, SQLITE_DETACH: SQLITE_DENY
    default: SQLITE_OK
    }
}

/// The line of a position in a text, from 1.
func line(at place: Int, in text: [UInt8]) -> Int { 1 + text[..<place].count { $0 == UInt8(ascii: "\n") } }

/// The name of the table that a statement creates, in lower case; nil for another statement.
private func createdTable(_ tokens: [String]) -> String? {
    var words = tokens.map { $0.lowercased() }[...]
    func take(_ expected: String) -> Bool {
        guard words.first == expected else { return false }
        words.removeFirst()
        return true
    }
    guard take("create") else { return nil }
    _ = take("virtual")
    guard take("table") else { return nil }
    if take("if") { words = words.dropFirst(2) }
    // `main.place` is the table `place`.
    if words.dropFirst().first == "." { words = words.dropFirst(2) }
    return words.first
}
