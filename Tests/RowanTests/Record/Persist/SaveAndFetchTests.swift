// `saveAndFetch` inserts a record whose row is missing, whether or not the insertion changes the record.

import Rowan
import Testing

private struct Team: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

private struct TeamName: Codable, Equatable, FetchableRecord, TableRecord {
    static let databaseTableName = "team"
    static var databaseSelection: [any SQLSelectable] { [Column("name")] }
    var name: String
}

private let schema = "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT)"

@Suite struct SaveAndFetchTests {
    @Test func aMissingRowIsInserted() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let saved = try Team(id: 1, name: "Reds").saveAndFetch(db, as: TeamName.self)
            #expect(saved == TeamName(name: "Reds"))
            #expect(
                log.takeExpanded() == [
                    #"UPDATE "team" SET "name"='Reds' WHERE "id"=1 RETURNING "name""#,
                    #"INSERT INTO "team" ("id", "name") VALUES (1,'Reds') RETURNING "name""#,
                ])
            #expect(try Team.fetchAll(db) == [Team(id: 1, name: "Reds")])
        }
    }

    @Test func anExistingRowIsUpdated() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try Team(id: 1, name: "Reds").insert(db)
            #expect(try Team(id: 1, name: "Blues").saveAndFetch(db, as: TeamName.self) == TeamName(name: "Blues"))
            #expect(try Team.fetchAll(db) == [Team(id: 1, name: "Blues")])
        }
    }

    /// An insertion ignored by a conflict resolution has no row.
    @Test func anIgnoredInsertionIsAnError() throws {
        try inLoggedDatabase("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT UNIQUE)") { db, _ throws in
            try Team(id: 1, name: "Reds").insert(db)
            let key = missingKey {
                try Team(id: 2, name: "Reds").saveAndFetch(db, onConflict: .ignore, as: TeamName.self)
            }
            #expect(key == ["id": 2.databaseValue])
        }
    }
}
