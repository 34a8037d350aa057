// Values may be personal data: descriptions of errors show none, unless the configuration makes arguments public.

import Foundation
import Testing

@testable import Rowan

/// A text and a number that occur in no description.
private let secret = "c4nary"
private let number: Int64 = 77_665_544_332_211

struct PrivateValuesTests {
    private enum Color: String, Codable { case red }
    private enum Kind: String, DatabaseValueConvertible { case plain }
    private struct Size: Codable { var width: Int }

    private struct Player: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String?
        var color: Color?
        var sizes: [String: Size]?
        var since: Date?
    }

    private struct Counter: Codable, PersistableRecord { var count: UInt64 }

    private struct Operation: CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (Database) throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (Database) throws -> Void) {
            (testDescription, self.run) = (name, run)
        }

        /// A statement with the secret as its argument.
        init(sql: String, _ argument: String = secret) {
            self.init(sql) { db in try db.execute(sql: sql, arguments: [argument]) }
        }
    }

    private static let operations: [Operation] = [
        Operation("a value") { _ = try UUID.fetchOne($0, sql: "SELECT ? AS a, ? AS b", arguments: [secret, number]) },
        Operation("a value of an enum") { _ = try Kind.fetchAll($0, sql: "SELECT ?", arguments: [secret]) },
        Operation("an integer") { _ = try Int8.fetchOne($0, sql: "SELECT ? AS a", arguments: [number]) },
        Operation("an integer in a copy of a row") { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT ? AS a, ? AS b", arguments: [number, secret]))
            _ = try row.decode(Int8.self, forColumn: "a")
        },
        Operation("a missing column") { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT ? AS a", arguments: [secret])
            while let row = try rows.next() { _ = try row.decode(Int.self, forColumn: "b") }
        },
        Operation("a missing index") { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT ? AS a", arguments: [secret])
            while let row = try rows.next() { _ = try row.decode(Int.self, atIndex: 1) }
        },
        Operation("a record") { _ = try Player.fetchAll($0, sql: "SELECT ? AS id", arguments: [secret]) },
        Operation("a date") { _ = try Player.fetchAll($0, sql: "SELECT 1 AS id, ? AS since", arguments: [secret]) },
        Operation("a Codable enum") {
            _ = try Player.fetchAll($0, sql: "SELECT 1 AS id, ? AS color", arguments: [secret])
        },
        Operation("a type in JSON") {
            let json = "{\"\(secret)\": {\"width\": \"\(secret)\"}}"
            _ = try Player.fetchAll($0, sql: "SELECT 1 AS id, ? AS sizes", arguments: [json])
        },
        Operation("a key in JSON") {
            _ = try Player.fetchAll($0, sql: "SELECT 1 AS id, ? AS sizes", arguments: ["{\"\(secret)\": {}}"])
        },
        Operation("malformed JSON") {
            _ = try Player.fetchAll($0, sql: "SELECT 1 AS id, ? AS sizes", arguments: ["{\(secret)"])
        },
        Operation("a number in JSON") {
            _ = try Player.fetchAll(
                $0, sql: "SELECT 1 AS id, ? AS sizes", arguments: ["{\"a\": {\"width\": \(number)\(number)}}"])
        },
        Operation("date components in JSON") { _ in
            _ = try JSONDecoder().decode([DatabaseDateComponents].self, from: Data("[\"\(secret)\"]".utf8))
        },
        Operation("a key that is not found") { _ = try Player.find($0, key: number) },
        Operation("a record that is not found") { try Player(id: number, name: secret).update($0) },
        Operation("another key") { _ in throw Player.recordNotFound(key: ["name": secret]) },
        Operation("a duplicate") { db in
            try Player(id: 1, name: secret).insert(db)
            try Player(id: 2, name: secret).insert(db)
        },
        Operation("duplicates of a batch") { db in
            try Player.insertAll(db, [Player(id: 1, name: secret), Player(id: 2, name: secret)])
        },
        Operation("an integer that does not fit") { try Counter(count: UInt64.max).insert($0) },
        Operation("the violation of a foreign key") { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(name PRIMARY KEY); CREATE TABLE member(name, team REFERENCES team);
                    PRAGMA foreign_keys = OFF
                    """)
            try db.execute(sql: "INSERT INTO member VALUES (?, ?)", arguments: [secret, number])
            try db.checkForeignKeys()
        },
        Operation("the violation of a new definition") { db in
            try db.execute(sql: "INSERT INTO checked VALUES (1)")
            try db.rebuild(table: "checked", copying: ["a": "\(secret)"]) { $0.column("a").check { $0 == 1 } }
        },
        Operation("wrong arguments") { try $0.execute(sql: "SELECT ?", arguments: [secret, secret]) },
        Operation("unused arguments") { try $0.execute(sql: "SELECT 1", arguments: ["a": secret]) },
        Operation(sql: "INSERT INTO checked VALUES (?)"),
        Operation(sql: "INSERT INTO strict VALUES (?)"),
        Operation(sql: "SELECT * FROM document WHERE document MATCH ?", "(\(secret)"),
        Operation(sql: "SELECT * FROM document WHERE document MATCH ?", "\(secret):a"),
        Operation(sql: "SELECT * FROM document WHERE document MATCH 'a' AND rank MATCH ?"),
        Operation(sql: "SELECT * FROM document WHERE document MATCH ?", "*\(secret)"),
        Operation(sql: "SELECT * FROM old WHERE old MATCH ?", "\"\(secret)"),
        Operation(sql: "INSERT INTO document(document) VALUES (?)"),
        Operation("an FTS5 pattern") { try _ = $0.makeFTS5Pattern(rawPattern: "(\(secret)", forTable: "document") },
        Operation("the column of an FTS5 pattern") {
            try _ = $0.makeFTS5Pattern(rawPattern: "\(secret): a", forTable: "document")
        },
        Operation("an FTS3 pattern") { _ in _ = try FTS3Pattern(rawPattern: "\"\(secret)") },
        Operation(sql: "SELECT json_extract('{}', ?)"),
        Operation(sql: "SELECT json_set('{}', '$.a', 1, ?, 2)"),
        Operation(sql: "SELECT json(?)"),
        Operation(sql: "ATTACH ? AS other", "/missing/\(secret)/file"),
        Operation(sql: "DETACH ?"),
        Operation(sql: "SELECT abs(-9223372036854775808), ?"),
    ]

    private func failure(of operation: Operation, isPublic: Bool) throws -> any Error {
        var configuration = Configuration()
        configuration.publicStatementArguments = isPublic
        (configuration.strictConversions, configuration.strictArguments) = (true, true)
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT UNIQUE, color, sizes, since);
                    CREATE TABLE counter(count);
                    CREATE TABLE checked(a CHECK (a = 1));
                    CREATE TABLE strict(a INTEGER) STRICT;
                    CREATE VIRTUAL TABLE document USING fts5(a);
                    CREATE VIRTUAL TABLE old USING fts4(a);
                    """)
        }
        do { try queue.inDatabase(operation.run) } catch { return error }
        Issue.record("no error")
        return CancellationError()
    }

    private func descriptions(_ error: any Error) -> [String] {
        let bridged = error as NSError
        return [
            "\(error)", String(reflecting: error), error.localizedDescription, "\([error])",
            "\(Optional(error) as Any)",
        ]
            + bridged.userInfo.values.map { "\($0)" } + [bridged.description]
    }

    @Test(arguments: PrivateValuesTests.operations.indices) func errors(_ index: Int) throws {
        let operation = Self.operations[index]
        let error = try failure(of: operation, isPublic: false)
        // A value that the program has written into its SQL is not private.
        let sql = (error as? DatabaseError)?.sql ?? (error as? RowDecodingError)?.sql ?? ""
        for description in descriptions(error) {
            let rest = sql.isEmpty ? description : description.replacing(sql, with: "")
            #expect(!rest.contains(secret), "\(operation.testDescription): \(description)")
            #expect(!rest.contains("\(number)"), "\(operation.testDescription): \(description)")
        }
    }

    @Test func publicErrors() throws {
        let decoding = try failure(of: Self.operations[0], isPublic: true)
        #expect(
            "\(decoding)"
                == "could not decode UUID from database value \"\(secret)\" - column: \"a\", column index: 0, "
                + "row: [a:\"\(secret)\" b:\(number)], sql: `SELECT ? AS a, ? AS b`, arguments: [\"\(secret)\", \(number)]"
        )
        let pattern = try failure(
            of: Operation(sql: "SELECT * FROM document WHERE document MATCH ?", "(\(secret)\""), isPublic: true)
        #expect("\(pattern)".contains(secret))
        let json = try failure(of: Self.operations.first { $0.testDescription == "a type in JSON" }!, isPublic: true)
        #expect("\(json)".contains(secret))
        let key = try failure(
            of: Self.operations.first { $0.testDescription == "the violation of a foreign key" }!, isPublic: true)
        #expect("\(key)".contains(secret))
    }

    @Test func expandedDescriptions() throws {
        let decoding = try failure(of: Self.operations[0], isPublic: false)
        #expect(
            "\(decoding)"
                == "could not decode UUID from a TEXT - column: \"a\", column index: 0, row: [a:TEXT b:INTEGER], "
                + "sql: `SELECT ? AS a, ? AS b`")
        #expect((decoding as? RowDecodingError)?.expandedDescription.contains(secret) == true)
        let record = try failure(
            of: Self.operations.first { $0.testDescription == "a record that is not found" }!, isPublic: false)
        #expect((record as? RecordError)?.expandedDescription == "Key not found in table player: [id:\(number)]")
        let json = try failure(of: Self.operations.first { $0.testDescription == "a key in JSON" }!, isPublic: false)
        #expect(
            "\(json)".hasPrefix(
                "could not decode Dictionary<String, Size> from JSON: there is no value for the key width at …"))
        let pattern = try failure(
            of: Operation(sql: "SELECT * FROM document WHERE document MATCH ?", "\(secret) AND \""), isPublic: false)
        #expect((pattern as? DatabaseError)?.expandedDescription.contains(secret) == true)
    }

    /// The messages in SQLite's log.
    @Test func messages() {
        func shown(_ message: String, sql: String? = nil, _ arguments: StatementArguments? = nil) -> String {
            DatabaseError.withoutValues(message, sql: sql, arguments: arguments)
        }
        #expect(
            shown("statement aborts at 9: [SELECT * FROM t WHERE t MATCH ?] fts5: syntax error near \"a\"b\"")
                == "statement aborts at 9: [SELECT * FROM t WHERE t MATCH ?] fts5: syntax error near \"…\"")
        #expect(shown("malformed MATCH expression: [a]b]") == "malformed MATCH expression: […]")
        #expect(shown("fts5: syntax error near \"\"") == "fts5: syntax error near \"\"")
        #expect(shown("fts5: syntax error near \"x\"", sql: "t MATCH '(x'") == "fts5: syntax error near \"x\"")
        #expect(shown("no such column: x", sql: "SELECT y", ["a"]) == "no such column: x")
        #expect(shown("no such column: x", sql: "SELECT x", ["x:a"]) == "no such column: x")
        #expect(shown("no such column: x", sql: "t MATCH ?", ["x:a"]) == "no such column: …")
        #expect(shown("UNIQUE constraint failed: player.name") == "UNIQUE constraint failed: player.name")
    }

    /// A program's own log.
    @Test func traces() throws {
        var lines: [String] = []
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            db.trace(options: [.statement, .profile]) { lines.append("\($0)") }
            _ = try Row.fetchAll(db, sql: "SELECT ?, :a", arguments: [secret, number])
            try db.execute(sql: "CREATE TABLE t(a UNIQUE)")
            for _ in 0..<2 { try? db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [secret]) }
            db.trace(options: [])
        }
        #expect(lines.count > 6)
        #expect(lines.allSatisfy { !$0.contains(secret) && !$0.contains("\(number)") }, "\(lines)")
    }
}
