// Errors show the beginning of a value and its size, even for large values.

import Foundation
import Rowan
import Testing

struct ErrorSizeTests {
    private let size = 4_000_000

    @Test func shortValuesAreWhole() {
        #expect(DatabaseValue.null.errorDescription == "NULL")
        #expect(1.5.databaseValue.errorDescription == "1.5")
        #expect("O'Brien".databaseValue.errorDescription == #""O\'Brien""#)
        #expect(Data([0xCA, 0xFE]).databaseValue.errorDescription == "Data(2 bytes)")
        let text = String(repeating: "a", count: 100)
        #expect(text.databaseValue.errorDescription == "\"\(text)\"")
    }

    @Test func longValuesAreCut() {
        let text = String(repeating: "a", count: size)
        #expect(text.databaseValue.errorDescription == "\"\(text.prefix(100))…\" (4000000 bytes)")
        #expect(Data(count: 101).databaseValue.errorDescription == "Data(101 bytes)")
    }

    /// Values are truncated between scalars.
    @Test(arguments: ["é", "€", "👩‍👩‍👧", "'"]) func cutsBetweenScalars(character: String) {
        for padding in 0..<4 {
            let text = String(repeating: "a", count: padding) + String(repeating: character, count: 200)
            let description = text.databaseValue.errorDescription
            #expect(!description.contains("\u{FFFD}"))
            let shown = description.prefix { $0 != "…" }.dropFirst().replacing(#"\'"#, with: "'")
            #expect(text.unicodeScalars.starts(with: shown.unicodeScalars))
            #expect((97...100).contains(shown.utf8.count))
        }
    }

    @Test func decodingErrors() throws {
        try withDatabase { db in
            let values: [any DatabaseValueConvertible] = [
                Data(count: size), String(repeating: "a", count: size),
                "\"\(String(repeating: "b", count: size))\"",
            ]
            for value in values {
                let error = expectDecodingError("bytes)") { try UUID.fetchOne(db, sql: "SELECT ?", arguments: [value]) }
                #expect((error?.expandedDescription.utf8.count ?? .max) < 1_000)
                #expect(error?.databaseValue == value.databaseValue)
            }
        }
    }

    private struct Player: Codable, FetchableRecord, PersistableRecord {
        enum Color: String, Codable { case red }
        struct Jersey: Codable { var color: Color }
        var jersey: Jersey
    }

    @Test func errorsOfJSON() throws {
        try withDatabase { db in
            let json = "{\"color\":\"\(String(repeating: "x", count: size))\"}"
            let error = expectDecodingError("bytes)") {
                try Player.fetchOne(db, sql: "SELECT ? AS jersey", arguments: [json])
            }
            #expect((error?.expandedDescription.utf8.count ?? .max) < 1_000)
        }
    }

    @Test func argumentsOfErrors() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x CHECK (x IS NULL), y)")
            let error = expectError(.SQLITE_CONSTRAINT_CHECK) {
                try db.execute(
                    sql: "INSERT INTO t VALUES (?, ?)",
                    arguments: [Data(count: size), String(repeating: "a", count: size)])
            }
            let description = try #require(error?.expandedDescription)
            #expect(description.hasSuffix("…\" (4000000 bytes)]"))
            #expect(description.utf8.count < 1_000)
        }
        let named = DatabaseError(arguments: ["a": String(repeating: "b", count: size)]).expandedDescription
        #expect(named.utf8.count < 1_000)
    }

    @Test func keysThatAreNotFound() {
        let key = ["name": String(repeating: "b", count: size).databaseValue]
        let error = RecordError.recordNotFound(databaseTableName: "t", key: key)
        #expect(error.expandedDescription.utf8.count < 1_000)
    }

    @Test func literalsAreWhole() {
        let data = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
        let expected = "x'" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined() + "'"
        #expect(data.databaseValue.sqlLiteral == expected)
        #expect(Data().databaseValue.sqlLiteral == "x''")
        // The start index of a slice is arbitrary.
        #expect(Data([1, 2, 3]).dropFirst().databaseValue.sqlLiteral == "x'0203'")
        let text = String(repeating: "it's ", count: 1_000)
        #expect(text.databaseValue.sqlLiteral == "'" + text.replacing("'", with: "''") + "'")
    }
}
