// Dates in each representation of the guide.

import Foundation
import Rowan
import RowanRecords
import Testing

/// Seconds as doubles, as the strategy `.timeIntervalSince1970` stores them.
private struct RealSeconds: ColumnStorage {
    func databaseValue(of value: Date) -> DatabaseValue { value.timeIntervalSince1970.databaseValue }
    func value(from column: ColumnValue) -> Date? { column.double.map { Date(timeIntervalSince1970: $0) } }
}

private enum Documented {
    struct Event: Codable, FetchableRecord, PersistableRecord {
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            switch column {
            case "seconds", "interval": .timeIntervalSince1970
            case "milliseconds": .millisecondsSince1970
            case "iso": .iso8601
            default: .deferredToDate
            }
        }

        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
            switch column {
            case "seconds": .secondsSince1970
            case "interval": .timeIntervalSince1970
            case "milliseconds": .millisecondsSince1970
            case "iso": .iso8601
            default: .deferredToDate
            }
        }

        var id: String
        var text: Date
        var seconds: Date
        var interval: Date
        var milliseconds: Date?
        var iso: Date
    }

    struct Moment: Codable, FetchableRecord, PersistableRecord {
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            .timeIntervalSince1970
        }
        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
            .timeIntervalSince1970
        }
        var id: String
        var date: Date
    }
}

private enum ByMacro {
    @Record struct Event {
        var id: String
        var text: Date
        @Column(as: .unixTime) var seconds: Date
        @Column(as: RealSeconds()) var interval: Date
        @Column(as: .milliseconds) var milliseconds: Date?
        @Column(as: .iso8601) var iso: Date
    }

    @Record struct Moment {
        var id: String
        @Column(as: .unixTime) var date: Date
    }
}

@Suite("Documented dates")
struct DateDefinitionTests {
    /// In `.unixTime`, a whole number of seconds is an integer, as with the strategy `.secondsSince1970`.
    @Test("Dates by strategy and by storage")
    func dates() throws {
        let whole = [0, 1e9, -1e9, 4e9, 1.7e9, 1, -1].map { Date(timeIntervalSince1970: $0) }
        let parts = [0, 1e9, 1.7e9 + 0.125, -1e9 - 0.25, 4e9, 1.5, 0.5].map { Date(timeIntervalSince1970: $0) }
        func use<Event>(
            _ make: (String, Date, Date, Date, Date?, Date) -> Event, _ change: @escaping (inout Event, Int) -> Void
        ) -> Use<Event> {
            func event(_ number: Int) -> Event {
                let part = parts[number]
                return make("\(number)", part, whole[number], part, number == 2 ? nil : part, part)
            }
            return Use(
                samples: (1...3).map(event), spares: (4...6).map(event), column: "id", value: "2".databaseValue,
                change: change)
        }
        typealias First = Documented.Event
        typealias Second = ByMacro.Event
        let documented = use(First.init(id:text:seconds:interval:milliseconds:iso:)) {
            ($0.text, $0.seconds, $0.milliseconds) = (parts[$1 % 7], whole[$1 % 7], $1 == 3 ? nil : parts[$1 % 7])
            ($0.interval, $0.iso) = (parts[$1 % 7], parts[$1 % 7])
        }.requesting(
            First.filter(Column("seconds") > whole[0]), First.filter(Column("text") == parts[2]),
            First.filter(Column("milliseconds") < parts[4]), First.filter(Column("interval") >= parts[5]),
            First.filter([parts[1], parts[6]].contains(Column("iso"))))
        let byMacro = use(Second.init(id:text:seconds:interval:milliseconds:iso:)) {
            ($0.text, $0.seconds, $0.milliseconds) = (parts[$1 % 7], whole[$1 % 7], $1 == 3 ? nil : parts[$1 % 7])
            ($0.interval, $0.iso) = (parts[$1 % 7], parts[$1 % 7])
        }.requesting(
            Second.filter { $0.seconds > whole[0] }, Second.filter { $0.text == parts[2] },
            Second.filter { $0.milliseconds < parts[4] }, Second.filter { $0.interval >= parts[5] },
            Second.filter { [parts[1], parts[6]].contains($0.iso) })
        try expectSame(
            """
            CREATE TABLE event (
                id TEXT PRIMARY KEY, text NOT NULL, seconds NOT NULL, interval NOT NULL, milliseconds, iso NOT NULL)
            """, documented: documented, byMacro: byMacro, .columnsAreListed(Second.self))
    }

    @Test("A difference: .unixTime stores whole seconds as integers, which a REAL column converts to doubles")
    func wholeSeconds() throws {
        func trail(_ type: String, _ insert: (Database, Date) throws -> Void) throws -> Trail {
            try .of("CREATE TABLE moment (id TEXT PRIMARY KEY, date \(type))") { db, _ in
                try insert(db, Date(timeIntervalSince1970: 1_000))
            }
        }
        func documented(_ type: String) throws -> Trail {
            try trail(type) { try Documented.Moment(id: "a", date: $1).insert($0) }
        }
        func byMacro(_ type: String) throws -> Trail {
            try trail(type) { try ByMacro.Moment(id: "a", date: $1).insert($0) }
        }
        #expect(try documented("").rows == ["moment: id text 'a', date real 1000.0"])
        #expect(try byMacro("").rows == ["moment: id text 'a', date integer 1000"])
        #expect(try documented("DOUBLE").rows == byMacro("DOUBLE").rows)
        #expect(try documented("DATETIME").rows == byMacro("DATETIME").rows)
        #expect(
            try documented("").statements.map { $0.replacingOccurrences(of: "1000.0", with: "1000") }
                == byMacro("").statements)
    }
}
