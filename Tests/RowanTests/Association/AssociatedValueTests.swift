// Associated rows with one column, decoded as values: by their database conversion, with the record's strategies.

import Foundation
import Rowan
import Testing

private struct Event: TableRecord {
    static let values = hasMany(Value.self)
    static let value = hasOne(Value.self)
}
private struct Value: TableRecord {}

private struct JSONPair: Codable, Hashable, DatabaseValueConvertible {
    var a: Int
    var b: Int
}

/// A type decoded from a single value.
private struct Day: Decodable, Hashable {
    var date: Date
    init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }
    init(_ date: Date) { self.date = date }
}

private struct All<Element: Decodable>: Decodable, FetchableRecord {
    var id: Int
    var values: [Element]
}

private struct One<Element: Decodable>: Decodable, FetchableRecord {
    var id: Int
    var value: Element?
}

private struct SecondsOfAll<Element: Decodable>: Decodable, FetchableRecord {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        column == "x" ? .millisecondsSince1970 : .deferredToDate
    }
    var values: [Element]
}

struct AssociatedValueTests {
    /// The values of an association, as an array and as an optional.
    private func check<Element: Decodable & Equatable>(
        _ literals: [String], _ expected: [Element], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let schema = """
            CREATE TABLE event (id INTEGER PRIMARY KEY);
            CREATE TABLE value (id INTEGER PRIMARY KEY, eventId INTEGER REFERENCES event(id), x);
            INSERT INTO event VALUES (1), (2);
            \(literals.map { "INSERT INTO value(eventId, x) VALUES (1, \($0));" }.joined())
            """
        try inLoggedDatabase(schema) { db, _ throws in
            let x = Column("x")
            let request = Event.order(Column("id")).including(all: Event.values.order(Column("id")).select(x))
            let all = try All<Element>.fetchAll(db, request)
            #expect(all.map(\.values) == [expected, []], sourceLocation: sourceLocation)
            let optionals = try All<Element?>.fetchAll(db, request)
            #expect(optionals.map(\.values) == [expected.map { $0 }, []], sourceLocation: sourceLocation)
            // One row at a time, and each prefetched row on its own.
            let cursor = try All<Element>.fetchCursor(db, request)
            #expect(try cursor.next()?.values == expected, sourceLocation: sourceLocation)
            let joined = Event.including(optional: Event.value.select(x))
                .filter(sql: "event.id = 1 AND value.id = 1 OR event.id = 2").order(sql: "event.id")
            let one = try One<Element>.fetchAll(db, joined)
            #expect(one.map(\.value) == [expected[0], nil], sourceLocation: sourceLocation)
        }
    }

    @Test func dates() throws {
        let date = Date(timeIntervalSince1970: 1_577_836_800)
        try check(["'2020-01-01 00:00:00.000'", "'2020-01-01T00:00:00Z'", "1577836800"], [date, date, date])
        try check(["'2020-01-01'"], [Day(date)])
    }

    @Test func otherValues() throws {
        let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        try check(["x'E621E1F8C36C495A93FC0C247A3E6E5F'", "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'"], [uuid, uuid])
        try check(["x'0102'", "'a'"], [Data([1, 2]), Data("a".utf8)])
        try check(["'https://example.com/a'"], [URL(string: "https://example.com/a")!])
        try check(["1.5", "'0.1'"], [Decimal(string: "1.5")!, Decimal(string: "0.1")!])
        try check([#"'{"a":1,"b":2}'"#], [JSONPair(a: 1, b: 2)])
        try check(["1", "2"], [1, 2])
        try check(["'a'", "'b'"], ["a", "b"])
    }

    @Test func strategies() throws {
        let schema = """
            CREATE TABLE event (id INTEGER PRIMARY KEY);
            CREATE TABLE value (id INTEGER PRIMARY KEY, eventId INTEGER REFERENCES event(id), x, y);
            INSERT INTO event VALUES (1);
            INSERT INTO value(eventId, x, y) VALUES (1, 1500, '2020-01-01')
            """
        try inLoggedDatabase(schema) { db, _ throws in
            let x = Event.including(all: Event.values.select(Column("x")))
            #expect(
                try SecondsOfAll<Date>.fetchOne(db, x)?.values == [Date(timeIntervalSince1970: 1.5)])
            #expect(try SecondsOfAll<Day>.fetchOne(db, x)?.values == [Day(Date(timeIntervalSince1970: 1.5))])
            #expect(try SecondsOfAll<Date?>.fetchOne(db, x)?.values == [Date(timeIntervalSince1970: 1.5)])
            let y = Event.including(all: Event.values.select(Column("y")))
            #expect(
                try SecondsOfAll<Date>.fetchOne(db, y)?.values == [Date(timeIntervalSince1970: 1_577_836_800)])
        }
    }

    @Test func errors() throws {
        let schema = """
            CREATE TABLE event (id INTEGER PRIMARY KEY);
            CREATE TABLE value (id INTEGER PRIMARY KEY, eventId INTEGER REFERENCES event(id), x);
            INSERT INTO event VALUES (1);
            INSERT INTO value(eventId, x) VALUES (1, 'yesterday')
            """
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Event.including(all: Event.values.select(Column("x")))
            let error = #expect(throws: RowDecodingError.self) { try All<Date>.fetchAll(db, request) }
            #expect(error?.column == "x")
            #expect(throws: RowDecodingError.self) { try All<UUID>.fetchAll(db, request) }
        }
    }
}
