import Rowan
import Testing

private typealias Author = Library.Author
private typealias Country = Library.Country

struct MemberTests {
    private func citizens(_ db: Database, _ code: String) throws -> [String] {
        try Row.fetchAll(
            db, sql: "SELECT citizenId, rank FROM passport WHERE countryCode = ? ORDER BY 1", arguments: [code]
        ).map(\.description)
    }

    @Test func addRemoveSet() throws {
        try Library.run { db, log throws in
            let authors = try Author.order(\.id).fetchAll(db)
            let germany = try Country.find(db, key: "DE")
            _ = log.takeExpanded()
            #expect(try germany.add(db, authors[0...2], to: Country.citizens, pivot: [Column("rank").set(to: 9)]) == 2)
            #expect(
                try citizens(db, "DE") == ["[citizenId:1 rank:9]", "[citizenId:2 rank:9]", "[citizenId:3 rank:1]"])
            #expect(try germany.remove(db, [authors[1], authors[3]], from: Country.citizens) == 1)
            #expect(try citizens(db, "DE") == ["[citizenId:1 rank:9]", "[citizenId:3 rank:1]"])
            try germany.set(db, [authors[0], authors[3]], in: Country.citizens)
            #expect(try citizens(db, "DE") == ["[citizenId:1 rank:9]", "[citizenId:4 rank:NULL]"])
            try germany.set(db, [], in: Country.citizens)
            #expect(try citizens(db, "DE") == [])
            #expect(try citizens(db, "FR").count == 3)
            let sql = log.takeExpanded()
            #expect(
                sql[0]
                    == #"INSERT INTO "passport" ("countryCode", "citizenId", "rank") SELECT 'DE', 1, 9 WHERE "#
                    + #"NOT EXISTS (SELECT 1 FROM "passport" WHERE ("countryCode" = 'DE') AND ("citizenId" = 1))"#)
            #expect(
                sql.contains(
                    #"DELETE FROM "passport" WHERE ("countryCode" = 'DE') AND ("citizenId" IN (SELECT +value FROM json_each('[2,4]')))"#
                ))
        }
    }

    @Test func allOrNone() throws {
        try Library.run { db, _ throws in
            let germany = try Country.find(db, key: "DE")
            let ghost = Author(id: 99, name: "Ghost", countryCode: nil)
            let author = try Author.find(db, key: 1)
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try germany.set(db, [author, ghost], in: Country.citizens) }
            #expect(try citizens(db, "DE") == ["[citizenId:3 rank:1]"])
            expectError(
                .SQLITE_MISUSE,
                #"can't write the members of "books": the association needs one pivot table, with foreign keys to both sides"#
            ) { try germany.add(db, [Library.Book](), to: Country.books) }
        }
    }
}
