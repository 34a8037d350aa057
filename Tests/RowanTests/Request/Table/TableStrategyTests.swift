// Keys are compared in the form in which the table's record type stores them, even if its records can't be persisted.

import Foundation
import Rowan
import Testing

private struct Session: Codable, EncodableRecord, FetchableRecord, Identifiable {
    var id: UUID
    var start: Date

    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
}

private let schema = """
    CREATE TABLE session (id TEXT PRIMARY KEY, start INTEGER UNIQUE);
    INSERT INTO session VALUES ('e621e1f8-c36c-495a-93fc-0c247a3e6e5f', 1000)
    """

@Suite struct TableStrategyTests {
    private let table = Table<Session>("session")
    private let id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

    @Test func keysOfATable() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try table.exists(db, id: id))
            #expect(try table.exists(db, key: id))
            #expect(try table.exists(db, key: ["start": Date(timeIntervalSince1970: 1000)]))
            #expect(try table.filter(ids: [id]).fetchCount(db) == 1)
            #expect(try table.filter(key: Data("e621e1f8-c36c-495a-93fc-0c247a3e6e5f".utf8)).fetchCount(db) == 1)
            _ = log.takeExpanded()
            #expect(try table.deleteAll(db, ids: [id, UUID()]) == 1)
        }
    }

    @Test func columnsOfATable() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let start = Column("start")
            #expect(try table.filter(start == Date(timeIntervalSince1970: 1000)).fetchCount(db) == 1)
            #expect(
                try table.filter(Column("id") == id).updateAll(db, start.set(to: Date(timeIntervalSince1970: 7))) == 1)
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT start FROM session") == 7.databaseValue)
        }
    }
}
