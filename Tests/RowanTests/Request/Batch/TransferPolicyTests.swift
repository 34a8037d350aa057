// Rows inserted or updated from a request use the conflict policy of their type.

import Rowan
import Testing

private struct Score: Codable, FetchableRecord, PersistableRecord {
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore, update: .ignore)
    var id: Int64
    var value: Int
}

private struct Source: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var value: Int
}

@Suite struct TransferPolicyTests {
    private let schema = """
        CREATE TABLE score (id INTEGER PRIMARY KEY, value INTEGER UNIQUE);
        INSERT INTO score VALUES (1, 10), (2, 20);
        CREATE TABLE source (id INTEGER PRIMARY KEY, value INTEGER);
        INSERT INTO source VALUES (1, 20), (2, 30), (3, 40)
        """

    @Test func rowsAreInsertedWithThePolicyOfTheType() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Score.insertAll(db, from: Source.all()) == 1)
            #expect(log.take() == [#"INSERT OR IGNORE INTO "score" SELECT * FROM "source""#])
            #expect(try Score.insertAll(db, from: Source.all(), onConflict: .replace) == 3)
            expectError(.SQLITE_CONSTRAINT) { try Score.insertAll(db, from: Source.all(), onConflict: .abort) }
        }
    }

    @Test func rowsAreUpdatedWithThePolicyOfTheType() throws {
        try inLoggedDatabase(schema) { db, log throws in
            func update(_ resolution: Database.ConflictResolution?) throws -> Int {
                try Score.filter(key: 1).updateAll(
                    db, onConflict: resolution, from: Source.all(),
                    on: { $0[Column("id")] == $1[Column("id")] },
                    assignments: { [Column("value").set(to: $1[Column("value")])] })
            }
            #expect(try update(nil) == 0)
            let statements = log.take()
            #expect(statements.count == 1)
            #expect(statements.allSatisfy { $0.hasPrefix("UPDATE OR IGNORE ") })
            expectError(.SQLITE_CONSTRAINT) { try update(.abort) }
        }
    }
}
