// The digits of a date text are read exactly.

import Foundation
import Rowan
import Testing

@Suite struct DateDigitTests {
    private let start = 1_704_067_200.0  // 2024-01-01 00:00:00 UTC

    @Test(arguments: [
        ("0", 0.0), ("5", 0.5), ("12", 0.12), ("123", 0.123), ("1234", 0.1234), ("123456", 0.123456),
        ("000001", 0.000001), ("9999", 0.9999), ("999999", 0.999999), ("123456789", 0.123456789),
        ("1234567891", 0.123456789),
    ])
    func fractionsOfASecond(digits: String, fraction: Double) throws {
        for suffix in ["", "Z", "+00:00"] {
            for separator in [" ", "T"] {
                let text = "2024-01-01\(separator)00:00:00.\(digits)\(suffix)"
                let date = try #require(Date.fromDatabaseValue(text.databaseValue))
                #expect(date.timeIntervalSince1970 == Double(1_704_067_200) + fraction)
                try withDatabase { db throws in
                    #expect(try Date.fetchOne(db, sql: "SELECT ?", arguments: [text]) == date)
                }
                let components = try #require(DatabaseDateComponents.fromDatabaseValue(text.databaseValue))
                let nanosecond = try #require(components.dateComponents.nanosecond)
                #expect(nanosecond == Int((fraction * 1e9).rounded()))
            }
        }
    }

    private struct Event: Decodable, FetchableRecord {
        var date: Date
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .iso8601 }
    }

    @Test func fractionsOfISO8601Texts() throws {
        try withDatabase { db throws in
            for (digits, fraction) in [("", 0.0), (".5", 0.5), (".123", 0.123), (".123456", 0.123456)] {
                let text = "2024-01-01T00:00:00\(digits)Z"
                let event = try Event.fetchOne(db, sql: "SELECT ? AS date", arguments: [text])
                let seconds = try #require(event).date.timeIntervalSince1970
                #expect(abs(seconds - (start + fraction)) < 1e-6)
            }
        }
    }

    /// A text that has been read is written identically, up to milliseconds.
    @Test func components() throws {
        let text = "2024-01-01 00:00:00.123"
        #expect(DatabaseDateComponents.fromDatabaseValue(text.databaseValue)?.databaseValue == text.databaseValue)
        let precise = "2024-01-01 00:00:00.9999"
        let components = try #require(DatabaseDateComponents.fromDatabaseValue(precise.databaseValue))
        #expect(components.dateComponents.nanosecond == 999_900_000)
    }
}
