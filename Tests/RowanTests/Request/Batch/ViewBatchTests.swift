// A view's triggers make its changes, which SQLite does not count. The number of rows is returned nevertheless.

import Rowan
import Testing

private struct Member: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var score: Int
    enum Columns {
        static let id = Column("id")
        static let score = Column("score")
    }
}

private struct Source: DatabaseSchemaSource {
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
}

private let schema = """
    CREATE TABLE person (id INTEGER PRIMARY KEY, score INTEGER);
    INSERT INTO person VALUES (1, 10), (2, 20), (3, 30), (4, 40);
    CREATE VIEW member AS SELECT * FROM person;
    CREATE TRIGGER member_delete INSTEAD OF DELETE ON member BEGIN DELETE FROM person WHERE id = OLD.id; END;
    CREATE TRIGGER member_update INSTEAD OF UPDATE ON member
    BEGIN UPDATE person SET score = NEW.score WHERE id = NEW.id; END
    """

@Suite struct ViewBatchTests {
    private func run(_ body: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.schemaSource = Source()
        try inLoggedDatabase(schema, configuration: configuration) { db, _ in try body(db) }
    }

    private func ids(_ db: Database) throws -> [Int] { try Int.fetchAll(db, sql: "SELECT id FROM person ORDER BY id") }

    @Test func deletedKeysAreCounted() throws {
        try run { db throws in
            #expect(try Member.deleteAll(db, keys: [1, 2, 77]) == 2)
            #expect(try ids(db) == [3, 4])
            #expect(try Member.deleteAll(db, ids: [3]) == 1)
            #expect(try Table<Member>("member").deleteAll(db, ids: [4, 5]) == 1)
            #expect(try ids(db) == [])
        }
    }

    @Test func namedKeysAreCounted() throws {
        try run { db throws in
            #expect(try Member.deleteAll(db, keys: [["id": 1], ["id": 2]]) == 2)
            #expect(try Table<Member>("member").deleteAll(db, keys: [["id": 3], ["id": 9]]) == 1)
            #expect(try ids(db) == [4])
        }
    }

    @Test func rowsOfARequestAreCounted() throws {
        try run { db throws in
            #expect(try Member.filter { $0.score > 10 }.updateAll(db, Column("score") += 1) == 3)
            #expect(try Member.filter { $0.score > 21 }.deleteAll(db) == 2)
            #expect(try Member.deleteOne(db, key: 1))
            #expect(try !Member.deleteOne(db, key: 1))
            #expect(try ids(db) == [2])
            #expect(try Member.deleteAll(db) == 1)
        }
    }
}
