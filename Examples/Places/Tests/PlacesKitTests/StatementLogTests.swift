import PlacesKit
import Rowan
import Testing

struct StatementLogTests {
    @Test func countsTheRunsOfEachStatement() throws {
        let folder = try TemporaryFolder()
        let log = StatementLog()
        let pool = try PlacesDatabase.open(at: folder.database, log: log)
        #expect(log.takeAll().isEmpty)

        try pool.write { db in
            try Country(code: "FR", name: "France").insert(db)
            try Country(code: "MC", name: "Monaco").insert(db)
            try db.execute(sql: "DELETE FROM country WHERE code = ?", arguments: ["MC"])
        }
        let entries = log.takeAll()
        let inserts = try #require(entries.first { $0.sql.hasPrefix("INSERT") })
        #expect(inserts.count == 2)
        #expect(inserts.duration > .zero)
        let delete = try #require(entries.first { $0.sql.hasPrefix("DELETE") })
        #expect(delete.count == 1)
        #expect(delete.description.hasSuffix("DELETE FROM country WHERE code = 'MC'"))
        #expect(log.takeAll().isEmpty)
    }

    @Test func sumsUpTheBookkeepingAtTheEnd() throws {
        let folder = try TemporaryFolder()
        let log = StatementLog()
        let pool = try PlacesDatabase.open(at: folder.database, log: log)
        try pool.write { db in try db.execute(sql: "DELETE FROM country") }

        let entries = log.takeAll()
        #expect(entries.count == 2)
        #expect(entries.first?.sql == "DELETE FROM country")
        #expect(try #require(entries.last).count >= 2, "at least the start and the end of the transaction")
    }
}
