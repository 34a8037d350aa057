// Upserts, deletions and existence checks: the first one of a type uses a container, later ones don't. Both give the
// same SQL and the same rows.

import Foundation
import Rowan
import RowanRecords
import Testing

@Record("word") private struct Word: Equatable {
    var id: Int64?
    var text: String
    var count: Int
}

@Record("token") private struct Token: Equatable {
    var id: String
    var level: Int
}

@Record("seat") private struct Seat: Equatable {
    @PrimaryKey var row: Int
    @PrimaryKey var number: Int?
    var name: String?
}

@Suite("Direct writes of records by macro")
struct DirectWriteTests {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT UNIQUE, count INTEGER);
                    CREATE TABLE token (id TEXT PRIMARY KEY, level INTEGER);
                    CREATE TABLE seat (row INTEGER, number INTEGER, name TEXT, PRIMARY KEY (row, number));
                    CREATE TABLE log (text);
                    CREATE TRIGGER refused BEFORE INSERT ON word WHEN NEW.text = 'refused'
                        BEGIN SELECT RAISE(IGNORE); END;
                    """)
            try body(db)
        }
    }

    /// The statements that a closure runs, with their arguments.
    private func statements(_ db: Database, _ body: () throws -> Void) throws -> [String] {
        var statements: [String] = []
        db.trace { if case .statement(let statement) = $0 { statements.append(statement.expandedSQL) } }
        try body()
        db.trace(nil)
        return statements.filter { ["INSERT", "DELETE", "SELECT EXISTS"].contains(where: $0.hasPrefix) }
    }

    @Test("Updates of some typed columns")
    func someColumns() throws {
        try inDatabase { db in
            var word = Word(id: nil, text: "a", count: 1)
            try word.insert(db)
            (word.text, word.count) = ("b", 2)
            try word.update(db, columns: [Word.Columns.count])
            #expect(try Word.fetchAll(db) == [Word(id: 1, text: "a", count: 2)])
            let columns: [any AnyTypedColumn] = [Word.Columns.text, Word.Columns.count]
            word.count = 3
            let changed = try word.updateAndFetch(db, columns: columns, selection: [Word.Columns.text]) {
                try String.fetchOne($0)
            }
            #expect(changed == "b")
            #expect(try Word.fetchAll(db) == [Word(id: 1, text: "b", count: 3)])
        }
    }

    @Test("Upserts")
    func upserts() throws {
        try inDatabase { db in
            var words = ["a", "b", "c"].map { Word(id: nil, text: $0, count: 1) }
            let upserts = try statements(db) { for index in words.indices { try words[index].upsert(db) } }
            #expect(
                upserts
                    == ["a", "b", "c"].map {
                        """
                        INSERT INTO "word" ("id", "text", "count") VALUES (NULL,'\($0)',1) ON CONFLICT DO UPDATE SET \
                        "text" = "excluded"."text", "count" = "excluded"."count" RETURNING "rowid"
                        """
                    })
            #expect(words.map(\.id) == [1, 2, 3])
            // The conflict is on the text, so the id is that of the existing row.
            var again = Word(id: nil, text: "b", count: 5)
            try again.upsert(db)
            #expect(again.id == 2)
            try words[2].upsert(db)
            #expect(words[2].id == 3)
            var refused = Word(id: nil, text: "refused", count: 1)
            try refused.upsert(db)
            #expect(refused.id == nil)
            #expect(try Int.fetchAll(db, sql: "SELECT count FROM word ORDER BY id") == [1, 5, 1])
        }
    }

    @Test("Upserts without a rowid and their errors")
    func upsertsOfTexts() throws {
        try inDatabase { db in
            let upserts = try statements(db) {
                for level in 1...3 { try Token(id: "x", level: level).upsert(db) }
            }
            #expect(
                upserts.last
                    == """
                    INSERT INTO "token" ("id", "level") VALUES ('x',3) ON CONFLICT DO UPDATE SET \
                    "level" = "excluded"."level"
                    """)
            #expect(upserts.count == 3)
            #expect(try Token.fetchAll(db) == [Token(id: "x", level: 3)])
            try db.execute(sql: "CREATE TRIGGER low BEFORE UPDATE ON token BEGIN SELECT RAISE(ABORT, 'low'); END")
            for _ in 1...2 {
                let error = #expect(throws: DatabaseError.self) { try Token(id: "x", level: 4).upsert(db) }
                #expect(error?.message == "low")
                #expect(error?.arguments == ["x", 4])
            }
            try Token(id: "y", level: 1).upsert(db)
            #expect(try Token.fetchCount(db) == 2)
        }
    }

    @Test("Deletions and checks of existence")
    func keys() throws {
        try inDatabase { db in
            let seats = (1...3).map { Seat(row: 1, number: $0, name: "a") }
            for seat in seats { try seat.insert(db) }
            let unknown = Seat(row: 2, number: 1, name: nil)
            let noKey = Seat(row: 1, number: nil, name: nil)
            for _ in 1...2 {
                #expect(try seats[0].exists(db))
                #expect(try !unknown.exists(db))
                #expect(try !noKey.exists(db))
            }
            #expect(
                try statements(db) { _ = try seats[1].exists(db) }
                    == [#"SELECT EXISTS (SELECT 1 FROM "seat" WHERE "row"=1 AND "number"=2)"#])
            var deleted: [Bool] = []
            let deletions = try statements(db) { for seat in seats { deleted.append(try seat.delete(db)) } }
            #expect(deleted == [true, true, true])
            #expect(deletions == (1...3).map { #"DELETE FROM "seat" WHERE "row"=1 AND "number"=\#($0)"# })
            for seat in seats + [unknown, noKey] { #expect(try !seat.delete(db)) }
            #expect(try Seat.fetchCount(db) == 0)
        }
    }

    @Test("A changed schema")
    func changedSchema() throws {
        try inDatabase { db in
            for _ in 1...2 { try Token(id: "x", level: 1).upsert(db) }
            #expect(try Token(id: "x", level: 1).exists(db))
            try db.execute(sql: "DROP TABLE token; CREATE TABLE token (level INTEGER PRIMARY KEY, id TEXT)")
            for _ in 1...2 { try Token(id: "x", level: 7).upsert(db) }
            #expect(try Token(id: "other", level: 7).exists(db))
            #expect(try Token(id: "other", level: 7).delete(db))
            #expect(try !Token(id: "x", level: 7).exists(db))
        }
    }
}
