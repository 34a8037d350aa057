// Patterns in columns, and patterns of words that end with a non-ASCII separator.

import RowanSQLite
import Foundation
import Rowan
import Synchronization
import Testing

/// Counts the connections opened by a thread.
private enum OpenedConnections {
    private struct State {
        var thread: pthread_t?
        var count = 0
    }
    private static let state = Mutex(State())

    private typealias Extension =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) -> CInt

    private static let onOpen: Extension = { _, _, _ in
        OpenedConnections.state.withLock {
            if let thread = $0.thread, pthread_equal(thread, pthread_self()) != 0 { $0.count += 1 }
        }
        return SQLITE_OK
    }

    static func count(_ body: () throws -> Void) rethrows -> Int {
        // SQLite calls the function with an extension's arguments, regardless of its declared type.
        let onOpen = unsafeBitCast(onOpen, to: (@convention(c) () -> Void).self)
        state.withLock { $0 = State(thread: pthread_self()) }
        sqlite3_auto_extension(onOpen)
        defer { sqlite3_cancel_auto_extension(onOpen) }
        try body()
        return state.withLock {
            let count = $0.count
            $0 = State()
            return count
        }
    }
}

@Suite(.serialized) struct PatternColumnTests {
    private let patterns = (0..<50).map { "word\($0)*" }

    @Test func theColumnsOfAQueryOpenNoConnections() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE search (pattern TEXT)")
            for pattern in patterns { try db.execute(sql: "INSERT INTO search VALUES (?)", arguments: [pattern]) }
            let sql = "SELECT pattern FROM search"
            let opened = try OpenedConnections.count { () throws in
                for _ in 0..<2 {
                    #expect(try FTS5Pattern.fetchAll(db, sql: sql).map(\.rawPattern) == patterns)
                    #expect(try FTS3Pattern.fetchAll(db, sql: sql).map(\.rawPattern) == patterns)
                }
            }
            // One for each kind of pattern, at its first use.
            #expect(opened <= 2)
        }
    }

    @Test func invalidPatternsDoNotConvert() throws {
        for _ in 0..<2 {
            #expect(FTS5Pattern.fromDatabaseValue("AND".databaseValue) == nil)
            #expect(FTS5Pattern.fromDatabaseValue("title: x".databaseValue) == nil)
            #expect(FTS5Pattern.fromDatabaseValue("x".databaseValue)?.rawPattern == "x")
            #expect(FTS3Pattern.fromDatabaseValue("AND".databaseValue) == nil)
            #expect(FTS3Pattern.fromDatabaseValue("x".databaseValue)?.rawPattern == "x")
            expectError(.SQLITE_ERROR, "malformed MATCH expression: [AND]") { try FTS3Pattern(rawPattern: "AND") }
            expectError(.SQLITE_ERROR, #"fts5: syntax error near "AND""#) { try FTS5Pattern(rawPattern: "AND") }
        }
        #expect(try FTS5Pattern(rawPattern: "title: x", allowedColumns: ["title"]).rawPattern == "title: x")
        expectError(.SQLITE_ERROR, "no such column: title") { try FTS5Pattern(rawPattern: "title: x") }
    }

    @Test func aWordThatEndsWithASymbolIsNoPrefixOfTheRest() throws {
        let text = "foo👨🇩🇪"
        #expect(FTS5Pattern(matchingAllPrefixesIn: text)?.rawPattern == "foo👨🇩🇪*")
        #expect(FTS5Pattern(matchingAllTokensIn: text)?.rawPattern == "foo👨🇩🇪")
        #expect(FTS3Pattern(matchingAllPrefixesIn: text)?.rawPattern == "\"foo👨🇩🇪*\"")
        #expect(FTS3Pattern(matchingAllTokensIn: text)?.rawPattern == "\"foo👨🇩🇪\"")
        try withDatabase { db throws in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE three USING fts4(a);
                    CREATE VIRTUAL TABLE five USING fts5(a, tokenize=ascii);
                    """)
            for table in ["three", "five"] {
                for document in [text, "\(text)x", "foobar", "foo"] {
                    try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [document])
                }
            }
            let three = FTS3Pattern(matchingAllPrefixesIn: text)
            #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM three WHERE a MATCH ?", arguments: [three]) == [1, 2])
            let five = FTS5Pattern(matchingAllPrefixesIn: text)
            #expect(
                try Int.fetchAll(db, sql: "SELECT rowid FROM five WHERE five MATCH ?", arguments: [five]) == [1, 2])
        }
    }
}
