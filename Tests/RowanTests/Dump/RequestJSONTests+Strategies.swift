// The JSON of records whose form depends only on their strategies for dates and data.

import Foundation
import Rowan
import Testing

private protocol Strategy {
    static var date: DatabaseDateDecodingStrategy { get }
    static var data: DatabaseDataDecodingStrategy { get }
    /// SQL for values in the stored form.
    static var stored: (date: String, data: String) { get }
}

/// A record whose form depends only on its strategy.
private struct Dated<S: Strategy>: Codable, FetchableRecord {
    var date: Date?
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { S.date }
}
private struct Filed<S: Strategy>: Codable, FetchableRecord {
    var data: Data?
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy { S.data }
}

private enum Reference: Strategy {
    static let date = DatabaseDateDecodingStrategy.timeIntervalSinceReferenceDate
    static let data = DatabaseDataDecodingStrategy.deferredToData
    static let stored = (date: "1.5", data: "x'6162'")
}
private enum Seconds: Strategy {
    static let date = DatabaseDateDecodingStrategy.timeIntervalSince1970
    static let data = DatabaseDataDecodingStrategy.custom { _ in Data([7]) }
    static let stored = (date: "1706695200", data: "'x'")
}
private enum Milliseconds: Strategy {
    static let date = DatabaseDateDecodingStrategy.millisecondsSince1970
    static let data = DatabaseDataDecodingStrategy.custom { value in
        String.fromDatabaseValue(value).map { Data($0.reversed().map { $0.asciiValue ?? 0 }) }
    }
    static let stored = (date: "1706695200500", data: "'abc'")
}
private enum Own: Strategy {
    static let date = DatabaseDateDecodingStrategy.custom { _ in Date(timeIntervalSince1970: 9) }
    static let data = DatabaseDataDecodingStrategy.deferredToData
    static let stored = (date: "'any'", data: "'text'")
}

extension RequestJSONTests {
    @Test func strategies() throws {
        try withDatabase { db in
            func check<S: Strategy>(_ strategy: S.Type, date: String, data: String) throws {
                let dates = SQLRequest<Dated<S>>(sql: "SELECT \(S.stored.date) AS date UNION ALL SELECT NULL")
                try #expect(parsed(dates.json(db)) == encoded(dates.fetchAll(db)), "\(S.self)")
                try #expect(text(dates.json(db)).contains(date), "\(S.self)")
                let files = SQLRequest<Filed<S>>(sql: "SELECT \(S.stored.data) AS data UNION ALL SELECT NULL")
                try #expect(parsed(files.json(db)) == encoded(files.fetchAll(db)), "\(S.self)")
                try #expect(text(files.json(db)).contains("\"data\":\"\(data)\""), "\(S.self)")
            }
            try check(Reference.self, date: "2001-01-01T00:00:01", data: "YWI=")
            try check(Seconds.self, date: "2024-01-31T10:00:00", data: "Bw==")
            try check(Milliseconds.self, date: "2024-01-31T10:00:00", data: "Y2Jh")
            try check(Own.self, date: "1970-01-01T00:00:09", data: "dGV4dA==")
        }
    }
}
