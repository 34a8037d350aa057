import Foundation
import Rowan
import Testing

private let library = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT);
    CREATE TABLE award (code TEXT PRIMARY KEY, bookId INTEGER REFERENCES book) WITHOUT ROWID;
    CREATE TABLE "odd "" one" (a REFERENCES author(id));
    """

private func inBrokenLibrary(_ body: (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let (queue, _) = try loggedQueue(library, configuration: configuration)
    try queue.inDatabase { db in
        try db.execute(
            sql: """
                INSERT INTO author VALUES (1, 'A');
                INSERT INTO book VALUES (1, 2, 'Moby-Dick'), (2, 1, 'B'), (3, NULL, 'C'), (4, 9, NULL);
                INSERT INTO award VALUES ('x', 8);
                INSERT INTO "odd "" one" VALUES (5);
                """)
        try body(db)
    }
}

struct IntegrityTests {
    @Test func violations() throws {
        try inBrokenLibrary { db in
            var all = try Array(db.foreignKeyViolations())
            all.sort { ($0.originTable, $0.originRowID ?? 0) < ($1.originTable, $1.originRowID ?? 0) }
            #expect(all.map(\.originTable) == ["award", "book", "book", "odd \" one"])
            #expect(all.map(\.originRowID) == [nil, 1, 4, 1])
            #expect(all.map(\.destinationTable) == ["book", "author", "author", "author"])
            #expect(all.map(\.foreignKeyId) == [0, 0, 0, 0])
            #expect(
                try all.map { try $0.failureDescription(db) } == [
                    "FOREIGN KEY constraint violation - from award(bookId) to book(id)",
                    "FOREIGN KEY constraint violation - from book(authorId) to author(id), in [id:1 authorId:2 title:\"Moby-Dick\"]",
                    "FOREIGN KEY constraint violation - from book(authorId) to author(id), in [id:4 authorId:9 title:NULL]",
                    "FOREIGN KEY constraint violation - from odd \" one(a) to author(id), in [a:5]",
                ])
            #expect(
                all.map(\.description).prefix(2) == [
                    "FOREIGN KEY constraint violation - from award to book",
                    "FOREIGN KEY constraint violation - from book to author, in rowid 1",
                ])
            #expect(try Array(db.foreignKeyViolations(in: "BOOK")).map(\.originRowID) == [1, 4])
            #expect(try Array(db.foreignKeyViolations(in: "book", in: "main")).count == 2)
            #expect(try Array(db.foreignKeyViolations(in: "author")).isEmpty)
        }
    }

    @Test func checks() throws {
        try inBrokenLibrary { db in
            let error = expectError(
                .SQLITE_CONSTRAINT_FOREIGNKEY,
                "FOREIGN KEY constraint violation - from book(authorId) to author(id), in rowid 1"
            ) { try db.checkForeignKeys(in: "book") }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            #expect(
                error?.description
                    == "SQLite error 19: FOREIGN KEY constraint violation - from book(authorId) to author(id), in rowid 1"
            )
            try db.checkForeignKeys(in: "author")
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.checkForeignKeys() }
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try db.checkForeignKeys(in: "award", in: "main") }
            try db.execute(sql: "DELETE FROM book; DELETE FROM award; DELETE FROM \"odd \"\" one\"")
            try db.checkForeignKeys()
            expectError(.SQLITE_ERROR, "no such table: missing") { try db.checkForeignKeys(in: "missing") }
            expectError(.SQLITE_ERROR, "no such table: main.missing") {
                try db.checkForeignKeys(in: "missing", in: "main")
            }
            expectError(.SQLITE_ERROR, "no such schema: nowhere") {
                try db.foreignKeyViolations(in: "book", in: "nowhere")
            }
        }
    }

    /// A column named rowid hides the rowid.
    @Test func columnsNamedRowID() throws {
        try inBrokenLibrary { db in
            try db.execute(
                sql: """
                    CREATE TABLE odd (rowid TEXT, authorId REFERENCES author(id));
                    INSERT INTO odd VALUES ('2', 1), ('x', 77);
                    """)
            expectError(
                .SQLITE_CONSTRAINT_FOREIGNKEY,
                "FOREIGN KEY constraint violation - from odd(authorId) to author(id), in rowid 2"
            ) { try db.checkForeignKeys(in: "odd") }
        }
    }

    @Test func attachedDatabases() throws {
        try inBrokenLibrary { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE other.book (x REFERENCES parent);
                    INSERT INTO other.book VALUES (7);
                    """)
            expectError(
                .SQLITE_CONSTRAINT_FOREIGNKEY,
                "FOREIGN KEY constraint violation - from book(x) to parent(id), in rowid 1"
            ) { try db.checkForeignKeys(in: "book", in: "other") }
            try db.execute(sql: "DELETE FROM other.book")
            try db.checkForeignKeys(in: "book", in: "other")
        }
    }

    @Test(arguments: ConnectionKind.allCases) func checksInReads(kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.read { db in
                try db.checkForeignKeys()
                try db.checkForeignKeys(in: "t")
                #expect(try db.integrityCheck() == [])
                #expect(try db.quickCheck(of: "t") == [])
            }
        }
    }

    /// If the definition of a collation changes, its indexes are invalid until they are rebuilt.
    @Test func indexesOfCollations() throws {
        let folder = try TemporaryFolder()
        func queue(isAscending: Bool) throws -> DatabaseQueue {
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                db.add(
                    collation: DatabaseCollation("c") { a, b in
                        a == b ? .orderedSame : ((a < b) == isAscending ? .orderedAscending : .orderedDescending)
                    })
            }
            return try DatabaseQueue(path: folder.path("c.sqlite"), configuration: configuration)
        }
        let first = try queue(isAscending: true)
        try first.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a TEXT COLLATE c); CREATE INDEX i ON t(a); INSERT INTO t VALUES ('a'), ('b'), ('c');
                    CREATE TABLE u (a); CREATE INDEX "c2" ON u(a);
                    """)
            #expect(try db.integrityCheck() == [])
        }
        try first.close()
        let repairs: [(Database) throws -> Void] = [
            { try $0.reindex(collation: .init(rawValue: "c")) }, { try $0.reindex(table: "T") },
            { try $0.reindex(index: "i") }, { try $0.reindex() }, { try $0.reindex(table: "t", in: "main") },
        ]
        for (number, repair) in repairs.enumerated() {
            let queue = try queue(isAscending: !number.isMultiple(of: 2))
            try queue.write { db in
                #expect(try !db.integrityCheck().isEmpty)
                #expect(try db.integrityCheck(limit: 1).count == 1)
                #expect(try !db.integrityCheck(of: "t", in: "main").isEmpty)
                #expect(try db.integrityCheck(of: "u").isEmpty)
                try repair(db)
                #expect(try db.integrityCheck() == [])
            }
            try queue.close()
        }
    }

    @Test func badInput() throws {
        try inLoggedDatabase { db, _ throws in
            expectError(.SQLITE_MISUSE, "a check for 0 problems finds none: ask for one or more") {
                try db.integrityCheck(limit: 0)
            }
            expectError(.SQLITE_ERROR, "no such table: t") { try db.integrityCheck(of: "t") }
            expectError(.SQLITE_ERROR, "no such table: t") { try db.reindex(table: "t") }
            expectError(.SQLITE_ERROR, "no such index: i") { try db.reindex(index: "i") }
            expectError(.SQLITE_ERROR, "no such schema: x") { try db.reindex(index: "i", in: "x") }
            expectError(.SQLITE_ERROR) { try db.reindex(collation: .init(rawValue: "unknown")) }
        }
    }

    @Test func schemaObjects() throws {
        try inLoggedDatabase(
            """
            \(library)
            CREATE INDEX i ON book(title); CREATE VIEW v AS SELECT * FROM book;
            CREATE TRIGGER g AFTER INSERT ON book BEGIN SELECT 1; END;
            CREATE VIRTUAL TABLE f USING fts5(a); CREATE TEMPORARY TABLE s (x);
            CREATE TEMPORARY TRIGGER h AFTER DELETE ON book BEGIN SELECT 1; END;
            """
        ) { db, _ throws in
            let objects = try db.schemaObjects(in: "main").filter { !$0.isShadowTable }
            #expect(objects.map(\.name) == ["author", "book", "award", "odd \" one", "i", "v", "g", "f"])
            #expect(objects.map(\.kind) == [.table, .table, .table, .table, .index, .view, .trigger, .table])
            #expect(objects.map(\.tableName) == ["author", "book", "award", "odd \" one", "book", "v", "book", "f"])
            #expect(objects[4].sql == "CREATE INDEX i ON book(title)")
            #expect(try db.schemaObjects(in: "main").filter(\.isShadowTable).map(\.name).contains("f_content"))
            #expect(try db.schemaObjects(in: "temp").map(\.name) == ["s", "h"])
            #expect(try db.tables().map(\.name) == ["s", "author", "book", "award", "odd \" one", "f"])
            #expect(try db.tables().first?.schemaID == .temp)
            #expect(try db.triggers(on: "book").map(\.name) == ["h", "g"])
            expectError(.SQLITE_ERROR, "no such table: x") { try db.triggers(on: "x") }
            expectError(.SQLITE_ERROR, "no such schema: x") { try db.tables(in: "x") }
        }
    }

    @Test(arguments: ["fts5(title, content=book)", "fts4(title, content=\"book\")", "fts5(title, content='main''s')"])
    func contentOfFullTextTables(_ module: String) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT);
                    CREATE TABLE "main's"(id INTEGER PRIMARY KEY, title TEXT);
                    CREATE VIRTUAL TABLE search USING \(module);
                    CREATE VIRTUAL TABLE other USING fts5(title, content='');
                    CREATE VIRTUAL TABLE own USING fts5(title);
                    """)
            try #expect(db.integrityCheck() == [])
            let content = module.contains("main") ? "main's" : "book"
            try db.rename(table: content, to: "renamed")
            let problem =
                "full-text table \"search\" searches the texts of \"\(content)\", which doesn't exist: create the full-text "
                + "table again"
            try #expect(db.integrityCheck() == [problem])
            try #expect(db.quickCheck(in: "main") == [problem])
            try #expect(db.integrityCheck(of: "renamed") == [])
            try #expect(db.integrityCheck(in: "temp") == [])
            try db.rename(table: "renamed", to: content)
            try #expect(db.integrityCheck() == [])
        }
    }
}
