// External content: the index follows each change to the content table.

import Rowan
import Testing

private enum Engine: CaseIterable {
    case fts4, fts5

    func create(
        _ db: Database, _ table: String = "book_ft", of content: String = "book",
        columns: [String] = ["title", "body"],
        options: VirtualTableOptions = []
    ) throws {
        switch self {
        case .fts4:
            try db.create(virtualTable: table, options: options, using: FTS4()) { t in
                t.synchronize(withTable: content)
                for column in columns { t.column(column) }
            }
        case .fts5:
            try db.create(virtualTable: table, options: options, using: FTS5()) { t in
                t.synchronize(withTable: content)
                for column in columns { t.column(column) }
            }
        }
    }

    func dropTriggers(_ db: Database, _ table: String = "book_ft") throws {
        switch self {
        case .fts4: try db.dropFTS4SynchronizationTriggers(forTable: table)
        case .fts5: try db.dropFTS5SynchronizationTriggers(forTable: table)
        }
    }

    var triggers: [String] {
        switch self {
        case .fts4: ["__book_ft_ai", "__book_ft_au", "__book_ft_bd", "__book_ft_bu"]
        case .fts5: ["__book_ft_ad", "__book_ft_ai", "__book_ft_au"]
        }
    }
}

private let schema = """
    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, body TEXT, price INTEGER);
    INSERT INTO book VALUES (7, 'Moby-Dick', 'Call me Ishmael', 10), (9, 'Omoo', 'It was in the middle', 20);
    """

extension Database {
    fileprivate func search(_ pattern: String, _ table: String = "book_ft") throws -> [Int64] {
        try SQLRequest<Int64>(
            literal: """
                SELECT rowid FROM \(identifier: table) WHERE \(identifier: table) MATCH \(pattern) ORDER BY rowid
                """
        ).fetchAll(self)
    }

    fileprivate func triggers() throws -> [String] {
        try String.fetchAll(self, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    }

    /// Throws SQLITE_CORRUPT if an index and its content table differ.
    fileprivate func checkIndex(_ table: String = "book_ft") throws {
        let name = SQL(sql: table.quotedDatabaseIdentifier)
        try execute(literal: "INSERT INTO \(name)(\(name)) VALUES ('integrity-check')")
    }
}

struct SynchronizationTests {
    @Test(arguments: Engine.allCases) private func theIndexFollows(engine: Engine) throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try engine.create(db)
            #expect(try db.triggers() == engine.triggers)
            #expect(try db.search("ishmael") == [7])
            try db.execute(sql: "INSERT INTO book (title, body) VALUES ('Typee', 'Six months at sea')")
            #expect(try db.search("sea") == [10])
            try db.execute(sql: "UPDATE book SET body = 'Nothing', id = 11 WHERE id = 10")
            #expect(try db.search("sea") == [] && db.search("nothing") == [11])
            try db.execute(sql: "UPDATE book SET price = 1")
            try db.execute(sql: "DELETE FROM book WHERE id = 7")
            #expect(try db.search("ishmael") == [] && db.search("title:omoo") == [9])
            try db.execute(
                sql: """
                    INSERT INTO book VALUES (9, 'Mardi', 'We are off', 1)
                    ON CONFLICT DO UPDATE SET title = excluded.title, body = excluded.body
                    """)
            #expect(try db.search("omoo") == [] && db.search("mardi") == [9])
            try db.execute(sql: "UPDATE book SET title = NULL WHERE id = 9")
            #expect(try db.search("mardi") == [] && db.search("off") == [9])
            try db.checkIndex()
            // The full-text table reads the text from the content table.
            #expect(try String.fetchOne(db, sql: "SELECT body FROM book_ft WHERE rowid = 9") == "We are off")
            try db.execute(sql: "DELETE FROM book")
            #expect(try db.search("off OR nothing") == [])
        }
    }

    @Test(arguments: Engine.allCases) private func rolledBackChanges(engine: Engine) throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try engine.create(db)
            try db.inSavepoint {
                try db.execute(sql: "UPDATE book SET body = 'gone'")
                return .rollback
            }
            #expect(try db.search("ishmael") == [7] && db.search("gone") == [])
            try db.checkIndex()
        }
    }

    @Test(arguments: Engine.allCases) private func droppedAndCreatedAgain(engine: Engine) throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try engine.create(db)
            try db.drop(table: "book_ft")
            #expect(try db.triggers() == engine.triggers)
            expectError(.SQLITE_ERROR, "no such table: main.book_ft") {
                try db.execute(sql: "DELETE FROM book WHERE id = 9")
            }
            // The creation is undone as a whole.
            expectError(.SQLITE_ERROR) { try engine.create(db) }
            #expect(try !db.tableExists("book_ft"))
            try engine.dropTriggers(db)
            #expect(try db.triggers() == [])
            try engine.dropTriggers(db)
            try db.execute(sql: "DELETE FROM book WHERE id = 9")
            try engine.create(db)
            #expect(try db.triggers() == engine.triggers)
            #expect(try db.search("ishmael OR middle") == [7])
            // The triggers are dropped with the content table.
            try db.drop(table: "book")
            #expect(try db.triggers() == [])
            try db.execute(sql: schema)
            expectError(.SQLITE_ERROR) { try engine.create(db) }
            try db.drop(table: "book_ft")
            try engine.create(db)
            #expect(try db.search("ishmael") == [7])
        }
    }

    @Test(arguments: Engine.allCases) private func ifNotExists(engine: Engine) throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try engine.create(db, options: .ifNotExists)
            try engine.create(db, options: .ifNotExists)
            #expect(try db.triggers() == engine.triggers)
            try db.execute(sql: "INSERT INTO book (title) VALUES ('Typee')")
            #expect(try db.search("typee") == [10])
        }
    }

    @Test(arguments: Engine.allCases) private func temporaryTables(engine: Engine) throws {
        try inLoggedDatabase(schema) { db, _ throws in
            // An index can't refer to a table in another schema.
            expectError(.SQLITE_ERROR, "no such table: temp.book") { try engine.create(db, options: .temporary) }
            try db.execute(sql: "CREATE TEMP TABLE book AS SELECT id, title, body FROM main.book WHERE id = 7")
            try engine.create(db, options: .temporary)
            try db.execute(sql: "INSERT INTO main.book (title) VALUES ('Typee')")
            try db.execute(sql: "INSERT INTO temp.book (title) VALUES ('Redburn')")
            #expect(try db.search("typee OR redburn OR ishmael").count == 2)
            // A temporary table does not hide the content table of an index in the main schema.
            try engine.create(db, "other_ft")
            #expect(try db.search("typee OR redburn", "other_ft") == [10])
            try db.execute(sql: "INSERT INTO main.book (title) VALUES ('White-Jacket')")
            #expect(try db.search("jacket", "other_ft") == [11])
            try engine.dropTriggers(db)
            try engine.dropTriggers(db, "other_ft")
            let sql =
                "SELECT COUNT(*) FROM (SELECT * FROM sqlite_temp_master UNION ALL SELECT * FROM sqlite_master)"
                + " WHERE type = 'trigger'"
            #expect(try Int.fetchOne(db, sql: sql) == 0)
        }
    }

    @Test(arguments: Engine.allCases) private func hiddenRowID(engine: Engine) throws {
        try inLoggedDatabase("CREATE TABLE book (title, body); INSERT INTO book VALUES ('a', 'b')") { db, _ throws in
            try engine.create(db)
            try db.execute(sql: "INSERT INTO book VALUES ('c', 'd'); UPDATE book SET title = 'e' WHERE title = 'a'")
            #expect(try db.search("e") == [1] && db.search("c") == [2] && db.search("a") == [])
            try db.checkIndex()
        }
    }

    @Test func aColumnCalledRowID() throws {
        try inLoggedDatabase("CREATE TABLE book (rowid TEXT, title, body)") { db, _ throws in
            try db.execute(sql: "INSERT INTO book VALUES ('x', 'a', 'b')")
            try Engine.fts5.create(db)
            try db.execute(
                sql: "INSERT INTO book VALUES ('y', 'c', 'd'); UPDATE book SET title = 'e' WHERE title = 'a'")
            #expect(try db.search("e") == [1] && db.search("c") == [2] && db.search("a") == [])
            try db.drop(table: "book_ft")
            try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
            let error = expectError(.SQLITE_ERROR) { try Engine.fts4.create(db) }
            #expect(error?.message?.hasPrefix("a full-text table can't be synchronized with book: ") == true)
        }
    }

    @Test(arguments: Engine.allCases) private func tablesThatCannotBeSynchronized(engine: Engine) throws {
        let schema = """
            CREATE TABLE book (id INTEGER PRIMARY KEY, title, body) WITHOUT ROWID;
            CREATE TABLE other (title);
            CREATE VIEW view AS SELECT title, title AS body FROM other
            """
        try inLoggedDatabase(schema) { db, _ throws in
            let error = expectError(.SQLITE_ERROR) { try engine.create(db) }
            #expect(error?.message?.contains("WITHOUT ROWID") == true)
            expectError(.SQLITE_ERROR) { try engine.create(db, of: "view") }
            expectError(.SQLITE_ERROR, "no such table: main.missing") { try engine.create(db, of: "missing") }
            // The columns of the index must exist.
            expectError(.SQLITE_ERROR) { try engine.create(db, of: "other") }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") == 3)
            #expect(db.isInsideTransaction)
        }
    }

    @Test(arguments: Engine.allCases, hostileColumnNames) private func hostileNames(engine: Engine, name: String) throws
    {
        // FTS4 can't drop a table with external content and a line break in its name (SQLite 3.40).
        guard engine == .fts5 || name != "a\nb" else { return }
        try inLoggedDatabase { db, _ throws in
            try db.create(table: name) { t in
                t.primaryKey("id " + name, .integer)
                t.column(name, .text)
            }
            let index = name + "_ft"
            try db.execute(literal: "INSERT INTO \(identifier: name) VALUES (3, 'foo')")
            try engine.create(db, index, of: name, columns: [name])
            #expect(try db.search("foo", index) == [3])
            try db.execute(literal: "UPDATE \(identifier: name) SET \(identifier: name) = 'bar'")
            #expect(try db.search("foo", index) == [] && db.search("bar", index) == [3])
            try db.execute(literal: "DELETE FROM \(identifier: name)")
            #expect(try db.search("bar", index) == [])
            try db.drop(table: index)
            try engine.dropTriggers(db, index)
            #expect(try db.triggers() == [])
        }
    }

    @Test func languagesAndColumnsThatAreNotIndexed() throws {
        let schema = "CREATE TABLE book (id INTEGER PRIMARY KEY, title, uuid, lid)"
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO book VALUES (1, 'chat', 'x', 1)")
            try db.create(virtualTable: "ft4", using: FTS4()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
                t.column("uuid").notIndexed()
                t.column("lid").asLanguageId()
            }
            try db.create(virtualTable: "ft5", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
                t.column("uuid").notIndexed()
            }
            try db.execute(sql: "INSERT INTO book VALUES (2, 'chat', 'x', 2); UPDATE book SET title = 'chat noir'")
            let sql = "SELECT rowid FROM ft4 WHERE ft4 MATCH 'noir' AND lid = 2"
            #expect(try Int.fetchAll(db, sql: sql) == [2])
            #expect(
                try db.search("x", "ft4") == [] && db.search("x", "ft5") == [] && db.search("noir", "ft5") == [1, 2])
            try db.checkIndex("ft5")
        }
    }

    /// The content option without triggers.
    @Test func contentWithoutSynchronization() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.content = "book"
                t.contentRowID = "id"
                t.column("title")
            }
            #expect(try db.triggers() == [] && db.search("omoo") == [])
            try db.execute(sql: "INSERT INTO book_ft(book_ft) VALUES ('rebuild')")
            #expect(try db.search("omoo") == [9])
            let definition = FTS5().makeTableDefinition(configuration: VirtualTableConfiguration(isTemporary: false))
            definition.synchronize(withTable: "book")
            #expect(definition.content == "book")
            let arguments = try FTS5().moduleArguments(for: definition, in: db)
            #expect(arguments == ["content='book'", "content_rowid='id'"])
        }
    }

    /// With recursive triggers, REPLACE runs the deletion triggers.
    @Test(arguments: Engine.allCases) private func replacedRows(engine: Engine) throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try engine.create(db)
            try db.execute(sql: "PRAGMA recursive_triggers = 1")
            try db.execute(sql: "INSERT OR REPLACE INTO book (id, title) VALUES (7, 'Typee')")
            #expect(try db.search("ishmael") == [] && db.search("typee") == [7])
            try db.checkIndex()
        }
    }
}
