// Functions, aggregates, collations and traces: Swift code called by SQLite.

import Foundation
import Rowan
import Testing

@Suite
struct CustomFunctionTests {
    struct Failure: Error, CustomStringConvertible { var description: String { "it failed" } }

    private func function(
        _ count: Int? = nil, pure: Bool = false,
        _ body: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) -> DatabaseFunction {
        DatabaseFunction("f", argumentCount: count, pure: pure, function: body)
    }

    @Test func results() throws {
        try withDatabase { db in
            let results: [(any DatabaseValueConvertible)?] = [
                nil, 1, -1.5, "text", "", "nul\0nul", Data([1, 2]), Data(), true, Int64.min,
                String(repeating: "é", count: 10_000),
            ]
            let uuid = UUID()
            for result in results + [uuid] {
                let value = result?.databaseValue ?? .null
                db.add(function: function(0) { _ in value })
                try #expect(DatabaseValue.fetchOne(db, sql: "SELECT f()") == value)
            }
        }
    }

    @Test func arguments() throws {
        try withDatabase { db in
            db.add(function: function { $0.map(\.description).joined(separator: "|") })
            let all = try String.fetchOne(
                db, sql: "SELECT f(1, 2.5, ?, x'CAFE', NULL, '')", arguments: ["a\0b"])
            #expect(all == #"1|2.5|"a\0b"|Data(2 bytes)|NULL|"""#)
            try #expect(String.fetchOne(db, sql: "SELECT f()") == "")
            db.add(function: DatabaseFunction("g", argumentCount: 1, pure: true) { $0[0] })
            expectError(.SQLITE_ERROR, "wrong number of arguments to function g()") {
                try Row.fetchOne(db, sql: "SELECT g(1, 2)")
            }
            // Two functions with the same name.
            db.add(function: DatabaseFunction("g", argumentCount: 2) { _ in "two" })
            let row = try Row.fetchOne(db, sql: "SELECT g(1) AS a, g(1, 2) AS b")
            #expect(row == ["a": 1, "b": "two"])
        }
    }

    @Test func errorsOfFunctions() throws {
        try withDatabase { db in
            db.add(function: function(0) { _ in throw Failure() })
            expectError(.SQLITE_ERROR, "it failed") { try Row.fetchOne(db, sql: "SELECT f()") }
            db.add(
                function: function(0) { _ in
                    throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "refused")
                })
            let error = expectError(.SQLITE_CONSTRAINT_CHECK, "refused") { try Row.fetchOne(db, sql: "SELECT f()") }
            #expect(error?.sql == "SELECT f()")
            // The connection still works.
            try #expect(Int.fetchOne(db, sql: "SELECT 1") == 1)
        }
    }

    @Test func removal() throws {
        try withDatabase { db in
            let one = function(0) { _ in 1 }
            db.add(function: one)
            try #expect(Int.fetchOne(db, sql: "SELECT f()") == 1)
            db.remove(function: one)
            expectError(.SQLITE_ERROR, "no such function: f") { try Row.fetchOne(db, sql: "SELECT f()") }
        }
    }

    /// SQLite frees functions that the connection no longer uses.
    @Test func functionsAreFreed() throws {
        final class Token: Sendable {}
        weak var weakToken: Token?
        try withDatabase { db in
            let token = Token()
            weakToken = token
            let one = function(0) { _ in withExtendedLifetime(token) { 1 } }
            db.add(function: one)
            try #expect(Int.fetchOne(db, sql: "SELECT f()") == 1)
        }
        #expect(weakToken == nil)
    }

    @Test func pureFunctionsMayBeIndexed() throws {
        try withDatabase { db in
            db.add(function: function(1, pure: true) { $0[0] })
            try db.execute(sql: "CREATE TABLE t(x); CREATE INDEX i ON t(f(x))")
            db.add(function: DatabaseFunction("impure", argumentCount: 1) { $0[0] })
            expectError(.SQLITE_ERROR) { try db.execute(sql: "CREATE INDEX j ON t(impure(x))") }
        }
    }

    struct Joined: DatabaseAggregate {
        var texts: [String] = []
        mutating func step(_ dbValues: [DatabaseValue]) throws {
            if dbValues[0] == 13.databaseValue { throw Failure() }
            texts.append(dbValues[0].description)
        }
        func finalize() throws -> (any DatabaseValueConvertible)? {
            if texts == ["14"] { throw Failure() }
            return texts.isEmpty ? nil : texts.joined(separator: "+")
        }
    }

    @Test func aggregates() throws {
        try withDatabase { db in
            db.add(function: DatabaseFunction("joined", argumentCount: 1, aggregate: Joined.self))
            try db.execute(sql: "CREATE TABLE t(x, g); INSERT INTO t VALUES (1, 1), (2, 2), (3, 1), (NULL, 2)")
            let all = try String.fetchOne(db, sql: "SELECT joined(x) FROM t")
            #expect(all == "1+2+3+NULL")
            let groups = try String.fetchAll(db, sql: "SELECT joined(x) FROM t GROUP BY g ORDER BY g")
            #expect(groups == ["1+3", "2+NULL"])
            let none = try String.fetchOne(db, sql: "SELECT joined(x) FROM t WHERE 0")
            #expect(none == nil)
            let two = try Row.fetchOne(db, sql: "SELECT joined(x) AS a, joined(-x) AS b FROM t WHERE x < 3")
            #expect(two == ["a": "1+2", "b": "-1+-2"])
            expectError(.SQLITE_ERROR, "it failed") { try Row.fetchOne(db, sql: "SELECT joined(13) FROM t") }
            expectError(.SQLITE_ERROR, "it failed") { try Row.fetchOne(db, sql: "SELECT joined(14)") }
            let again = try String.fetchOne(db, sql: "SELECT joined(x) FROM t WHERE x = 1")
            #expect(again == "1")
        }
    }

    @Test func collations() throws {
        let byLength = DatabaseCollation("by_length") { a, b in
            a.count == b.count ? .orderedSame : (a.count < b.count ? .orderedAscending : .orderedDescending)
        }
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES ('ccc'), (''), ('éé'), ('b')")
            let sql = "SELECT x FROM t ORDER BY x COLLATE BY_LENGTH"
            expectError(.SQLITE_ERROR) { try String.fetchAll(db, sql: sql) }
            db.add(collation: byLength)
            try #expect(String.fetchAll(db, sql: sql) == ["", "b", "éé", "ccc"])
            db.remove(collation: byLength)
            expectError(.SQLITE_ERROR, "no such collation sequence: BY_LENGTH") { try String.fetchAll(db, sql: sql) }
            #expect(byLength == DatabaseCollation("BY_LENGTH") { _, _ in .orderedSame })
        }
    }

    @Test func builtInCollationsAndFunctions() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES ('É'), ('e'), ('Z'), ('a')")
            func sorted(_ collation: DatabaseCollation) throws -> [String] {
                try String.fetchAll(db, sql: "SELECT x FROM t ORDER BY x COLLATE \(collation.name)")
            }
            try #expect(sorted(.unicodeCompare) == ["Z", "a", "e", "É"])
            try #expect(Set(sorted(.caseInsensitiveCompare).prefix(1)) == ["a"])
            for collation in [
                DatabaseCollation.localizedCaseInsensitiveCompare, .localizedCompare, .localizedStandardCompare,
            ] {
                try #expect(sorted(collation).count == 4)
            }
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT swiftUppercaseString('é') AS a, swiftLowercaseString('É') AS b,
                    swiftCapitalizedString('jean-paul élu') AS c, swiftUppercaseString(NULL) AS d
                    """)
            #expect(row == ["a": "É", "b": "é", "c": "Jean-Paul Élu", "d": nil])
        }
    }

    // MARK: Traces

    @Test func traces() throws {
        for isPublic in [false, true] {
            var configuration = Configuration()
            configuration.publicStatementArguments = isPublic
            try withDatabase(configuration) { db in
                var events: [String] = []
                db.trace { events.append($0.description) }
                _ = try Row.fetchAll(db, sql: "SELECT ?, ?", arguments: [1, "O'Brien"])
                #expect(events == [isPublic ? "SELECT 1, 'O''Brien'" : "SELECT ?, ?"])
                var profiles: [String] = []
                db.trace(options: .profile) { event in
                    guard case .profile(let statement, let duration) = event else { return }
                    #expect(duration > 0 && duration < 10)
                    profiles.append(statement.sql)
                    #expect(event.expandedDescription.hasSuffix("s SELECT 1"))
                }
                _ = try Row.fetchAll(db, sql: "SELECT 1")
                #expect(profiles == ["SELECT 1"])
                db.trace()
                _ = try Row.fetchAll(db, sql: "SELECT 2")
                #expect((events.count, profiles.count) == (1, 1))
            }
        }
    }
}
