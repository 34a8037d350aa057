// The expectations: passing, and their messages at the caller's line.

import Foundation
import Rowan
import RowanTestKit
import Synchronization
import Testing

@Suite("Expectations about SQL", .database(migrator, fixtures: .sql(fixtures)))
struct ExpectationTests {
    /// The only issue of a closure: its text, and its distance from the given line.
    private func issue(_ line: Int = #line, _ body: () throws -> Void) throws -> (text: String, distance: Int) {
        let found = Mutex<[(String, Int)]>([])
        try withKnownIssue {
            try body()
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            found.withLock { $0.append((text, (issue.sourceLocation?.line ?? 0) - line)) }
            return true
        }
        let issues = found.withLock { $0 }
        return try #require(issues.count == 1 ? issues[0] : nil, "\(issues)")
    }

    @Test("The number of statements")
    func counts() async throws {
        let writer = try TestDatabase.current.writer
        let request = City.including(all: City.streets).asRequest(of: CityInfo.self)
        let infos = try expectQueries(2) { try writer.read { db in try request.fetchAll(db) } }
        #expect(infos.map(\.streets.count) == [2])
        try await expectQueries(2) {
            async let first = writer.read { db in try City.fetchCount(db) }
            async let second = writer.read { db in try Street.fetchCount(db) }
            _ = try await (first, second)
        }
        try expectQueries(0) {}
        try expectQueries(1) { try writer.write { db in _ = try Street.deleteAll(db) } }
        let found = try issue {
            try expectQueries(1) { try writer.read { db in _ = try (City.fetchCount(db), City.fetchOne(db, key: 7)) } }
        }
        #expect(
            found.text
                == #"""
                expected 1 statement, and 2 ran:
                1. SELECT COUNT(*) FROM "city"
                2. SELECT "id", "name", "population" FROM "city" WHERE "id" = 7
                """#)
        #expect(found.distance == 1)
        #expect(throws: CancellationError.self) { try expectQueries(1) { throw CancellationError() } }
    }

    @Test("The same query again and again")
    func repeatedQueries() throws {
        let writer = try TestDatabase.current.writer
        try writer.write { db in _ = try City(name: "Bonn", population: 1).inserted(db) }
        let cities = try writer.read { db in try City.fetchAll(db) }
        try expectNoRepeatedQueries {
            _ = try writer.read { db in try Street.filter { cities.compactMap(\.id).contains($0.cityID) }.fetchAll(db) }
        }
        var found = try issue {
            try expectNoRepeatedQueries {
                try writer.read { db in for city in cities { _ = try city.request(for: City.streets).fetchAll(db) } }
            }
        }
        #expect(
            found.text
                == #"""
                a query ran 2 times, with 2 different argument lists: SELECT "id", "cityID", "name" FROM "street" WHERE "cityID" = ?
                Fetch the rows of all records at once: with including(all:) for many rows of each, with including(required:) \#
                or including(optional:) for one, or with a list of keys.
                """#)
        found = try issue {
            try expectNoRepeatedQueries(limit: 2) {
                try writer.read { db in for _ in 1...3 { _ = try City.fetchOne(db, key: 1) } }
            }
        }
        #expect(found.text.hasPrefix("a query ran 3 times, with 1 different argument list: "))
        #expect(found.text.hasSuffix("The arguments are always the same: fetch the value once, and keep it."))
        // Insertions aren't queries.
        try expectNoRepeatedQueries {
            try writer.write { db in for name in ["a", "b"] { _ = try City(name: name, population: 1).inserted(db) } }
        }
    }

    @Test("Whole tables")
    func fullScans() throws {
        let writer = try TestDatabase.current.writer
        try expectNoFullScan { try writer.read { db in _ = try Street.filter { $0.cityID == 1 }.fetchAll(db) } }
        try expectNoFullScan(except: ["city"]) { try writer.read { db in _ = try City.fetchAll(db) } }
        // Statements without a plan, and nested expectations: EXPLAIN is not counted.
        try expectQueries(2) {
            try expectNoFullScan {
                try writer.read { db in
                    _ = try Int.fetchOne(db, sql: "PRAGMA user_version")
                    _ = try Street.filter { $0.cityID == 1 }.fetchAll(db)
                }
            }
        }
        let found = try issue {
            try expectNoFullScan { try writer.read { db in _ = try Street.filter { $0.name == "a" }.fetchAll(db) } }
        }
        #expect(
            found.text
                == #"""
                a query reads each row of street: SELECT "id", "cityID", "name" FROM "street" WHERE "name" = ?
                SCAN street
                Add an index, or name the table in 'except'.
                """#)
    }

    @Test("The SQL of a request")
    func sql() throws {
        let request = City.filter { $0.population > 1_000 }
        try expectSQL(request, arguments: [1_000]) {
            #"SELECT "id", "name", "population" FROM "city" WHERE "population" > ?"#
        }
        var found = try issue { try expectSQL(request) { "SELECT 1" } }
        #expect(
            found.text
                == #"""
                the SQL differs.
                expected: SELECT 1
                found:    SELECT "id", "name", "population" FROM "city" WHERE "population" > ?
                """#)
        #expect(found.distance == 0)
        found = try issue {
            try expectSQL(request, arguments: [7]) {
                #"SELECT "id", "name", "population" FROM "city" WHERE "population" > ?"#
            }
        }
        #expect(found.text == "the arguments are [1000], and not [7]")
        try expectSQL(request, snapshot: "large-cities")
        found = try issue { try expectSQL(City.all(), snapshot: "large-cities") }
        #expect(found.text.hasPrefix("the SQL differs."))
        found = try issue { try expectSQL(request, snapshot: "none") }
        #expect(found.text.hasSuffix("Snapshots/none.sql: run the test with ROWAN_RECORD=1 to write it"))
    }

    @Test("The index of a request")
    func plan() throws {
        try expectPlan(Street.filter { $0.cityID == 1 }, uses: "street_city")
        let found = try issue { try expectPlan(Street.filter { $0.name == "a" }, uses: "street_city") }
        #expect(found.text == "the plan does not use the index street_city:\nSCAN street")
    }
}
