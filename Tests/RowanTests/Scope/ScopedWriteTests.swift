// What can be written in a scope.

import Rowan
import Testing

@Suite struct ScopedWriteTests {
    struct Note: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        var id: Int?
        var tenantID: Int
        var customerID: Int?
        var body: String

        mutating func didInsert(_ inserted: InsertionSuccess) { id = Int(inserted.rowID) }
    }

    private let folder = try! TemporaryFolder()
    static let schema = """
        CREATE TABLE note(
            id INTEGER PRIMARY KEY, tenantID INTEGER NOT NULL, customerID INTEGER REFERENCES customer(id),
            body TEXT NOT NULL CHECK (body <> ''));
        CREATE UNIQUE INDEX note_body ON note(tenantID, body);
        CREATE TABLE pair(tenantID INTEGER, name TEXT, value, PRIMARY KEY (tenantID, name)) WITHOUT ROWID;
        CREATE TABLE tag(tenantID INTEGER, name TEXT, PRIMARY KEY (tenantID, name));
        INSERT INTO tag VALUES (1, 'x'), (2, 'x');
        CREATE TABLE once(id INTEGER PRIMARY KEY ON CONFLICT ROLLBACK, tenantID INTEGER);
        INSERT INTO once VALUES (1, 1);
        INSERT INTO note VALUES (1, 1, 2, 'a'), (2, 2, 1, 'b'), (3, 1, NULL, 'c');
        INSERT INTO pair VALUES (1, 'x', 1), (2, 'x', 2);
        """

    func make(_ kind: ConnectionKind = .memoryQueue) throws -> any DatabaseWriter {
        let writer = try kind.make(in: folder)
        try writer.write { db in
            try Tenants.fill(db)
            try db.execute(sql: Self.schema)
        }
        return writer
    }

    func scope(_ tenant: Int) -> DatabaseScope {
        Tenants.scope(tenant)
            .writing(Table<Note>("note").filter(Column("tenantID") == tenant))
            .writing(Table("pair").filter(Column("tenantID") == tenant))
            .writing(Table("tag").filter(Column("tenantID") == tenant))
            .writing(Table("once").filter(Column("tenantID") == tenant))
    }

    func notes(_ writer: some DatabaseWriter) throws -> [String] {
        try writer.read {
            try String.fetchAll($0, sql: "SELECT id || ' ' || tenantID || ' ' || body FROM note ORDER BY id")
        }
    }

    @Test(arguments: ConnectionKind.allCases) func records(kind: ConnectionKind) throws {
        let writer = try make(kind)
        for round in 1...2 {
            try writer.write(in: scope(1)) { db throws in
                var note = Note(tenantID: 1, customerID: 2, body: "new \(round)")
                try note.insert(db)
                #expect(note.id == (round == 1 ? 4 : 102))
                note.body = "newer \(round)"
                try note.update(db)
                #expect(try Note.fetchCount(db) == 1 + round * 2)
                #expect(try Note.fetchOne(db, key: 2) == nil)
                #expect(try !Note.deleteOne(db, key: 2))
                #expect(
                    try Table<Note>("note").filter(Column("id") == 2).updateAll(db, Column("body").set(to: "z")) == 0)
                #expect(
                    try db.inSavepoint {
                        try note.delete(db); return .rollback
                    } == ())
                var other = Note(id: note.id, tenantID: 1, body: "upserted")
                try other.upsert(db)
                #expect(try Note.fetchOne(db, key: note.id)?.body == "upserted")
                try note.update(db)
                var saved = Note(id: 98 + round * 3, tenantID: 1, body: "saved \(round)")
                try saved.save(db)
            }
        }
        #expect(
            try notes(writer) == [
                "1 1 a", "2 2 b", "3 1 c", "4 1 newer 1", "101 1 saved 1", "102 1 newer 2", "104 1 saved 2",
            ])
        try writer.write(in: scope(2)) { db throws in
            #expect(try Note.deleteAll(db) == 1)
        }
        #expect(try notes(writer).count == 6)
        // Without a scope, everything can be written, and no trigger remains.
        try writer.write { db throws in
            try db.execute(sql: "INSERT INTO note VALUES (50, 9, NULL, 'x'); DELETE FROM note WHERE tenantID = 1")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master") == 0)
        }
        #expect(try notes(writer) == ["50 9 x"])
    }

    /// Statements, with the notes and pairs that they leave.
    @Test(
        arguments: [
            ("UPDATE note SET body = body || '!'", "1 1 a! 2 2 b 3 1 c!"),
            ("UPDATE note SET body = 'z' WHERE id = 2", "1 1 a 2 2 b 3 1 c"),
            ("UPDATE note SET body = 'z' WHERE id = 2 OR 1 -- all", "error"),
            ("UPDATE note SET body = 'z' WHERE id = 3 OR id = 2", "1 1 a 2 2 b 3 1 z"),
            ("UPDATE note SET body = (SELECT max(body) || count(*) FROM note) WHERE id = 1", "1 1 c2 2 2 b 3 1 c"),
            (
                "UPDATE note SET body = c.name FROM customer c WHERE c.id = note.customerID",
                "1 1 customer 2 2 2 b 3 1 c"
            ),
            // Both tables have the column of the condition.
            (
                "UPDATE note SET body = customer.name FROM customer WHERE customer.id = note.customerID",
                "1 1 customer 2 2 2 b 3 1 c"
            ),
            (
                "UPDATE note SET body = 'z' FROM (SELECT 1 AS tenantID) AS n WHERE note.id = 2",
                "1 1 a 2 2 b 3 1 c"
            ),
            ("UPDATE note SET body = 'z' WHERE id IN (SELECT id FROM note) AND id < 3", "1 1 z 2 2 b 3 1 c"),
            (
                "WITH a AS (SELECT 3 AS id) UPDATE note SET body = 'z' WHERE id = (SELECT id FROM a)",
                "1 1 a 2 2 b 3 1 z"
            ),
            ("UPDATE note SET body = 'z' WHERE (id = 1) RETURNING id", "1 1 z 2 2 b 3 1 c"),
            ("DELETE FROM note", "2 2 b"), ("DELETE FROM note WHERE 1", "2 2 b"),
            ("DELETE FROM note RETURNING *", "2 2 b"),
            ("DELETE FROM note WHERE body LIKE 'a%' OR body LIKE 'b%'", "2 2 b 3 1 c"),
            ("DELETE FROM note WHERE id = 1 OR abs(id) = 2", "2 2 b 3 1 c"),
            ("INSERT INTO note VALUES (4, 1, NULL, 'd')", "1 1 a 2 2 b 3 1 c 4 1 d"),
            (
                "INSERT INTO note SELECT id + 10, tenantID, customerID, body || '2' FROM note",
                "1 1 a 2 2 b 3 1 c 11 1 a2 13 1 c2"
            ),
            ("INSERT OR IGNORE INTO note VALUES (1, 1, NULL, 'd'), (4, 1, NULL, 'e')", "1 1 a 2 2 b 3 1 c 4 1 e"),
            ("INSERT INTO note VALUES (1, 1, NULL, 'd') ON CONFLICT DO NOTHING", "1 1 a 2 2 b 3 1 c"),
            (
                "INSERT INTO note VALUES (1, 1, NULL, 'd') ON CONFLICT (id) DO UPDATE SET body = body || excluded.body",
                "1 1 ad 2 2 b 3 1 c"
            ),
            (
                "INSERT INTO note VALUES (1, 1, NULL, 'd'), (3, 1, NULL, 'e') ON CONFLICT (id) DO UPDATE SET body = 'z' || id WHERE body = 'c'",
                "1 1 a 2 2 b 3 1 z3"
            ),
            (
                "INSERT INTO note SELECT 3, tenantID, customerID, 'd' FROM note WHERE id = 1 ON CONFLICT (id) DO UPDATE SET body = 'z' ON CONFLICT (tenantID, body) DO UPDATE SET body = 'y' RETURNING id",
                "1 1 a 2 2 b 3 1 z"
            ),
            (
                "INSERT INTO note VALUES (9, 1, 2, 'a') ON CONFLICT (id) DO UPDATE SET body = 'z' ON CONFLICT (tenantID, body) DO UPDATE SET body = (SELECT max(body) || count(*) FROM note)",
                "1 1 c2 2 2 b 3 1 c"
            ),
            // A row outside: its values are neither changed nor revealed.
            ("INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT DO UPDATE SET body = 'z'", "1 1 a 2 2 b 3 1 c"),
            (
                "INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT DO UPDATE SET body = 'z' WHERE body = 'b' OR 1",
                "1 1 a 2 2 b 3 1 c"
            ),
            (
                "INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT DO UPDATE SET id = 7, body = abs(-9223372036854775807 - tenantID + 1)",
                "1 1 a 2 2 b 3 1 c"
            ),
            (
                "INSERT INTO note VALUES (2, 1, NULL, 'd') ON CONFLICT (id) DO UPDATE SET body = 'z' WHERE abs(-9223372036854775806 - tenantID) OR json(body) -- )",
                "1 1 a 2 2 b 3 1 c"
            ),
            ("DELETE FROM note WHERE id = 1; INSERT INTO note VALUES (1, 1, 4, 'q')", "1 1 q 2 2 b 3 1 c"),
        ])
    func written(sql: String, expected: String) throws {
        let writer = try make()
        if expected == "error" {
            #expect(throws: DatabaseError.self) { try writer.write(in: scope(1)) { try $0.execute(sql: sql) } }
        } else {
            try writer.write(in: scope(1)) { db in try db.execute(sql: sql) }
            #expect(try notes(writer).joined(separator: " ") == expected)
        }
    }

    /// Changes by foreign keys are checked, too.
    @Test func cascades() throws {
        let writer = try make()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE thread(id INTEGER PRIMARY KEY, tenantID INTEGER);
                    CREATE TABLE message(
                        id INTEGER PRIMARY KEY, tenantID INTEGER, threadID INTEGER REFERENCES thread ON DELETE CASCADE);
                    INSERT INTO thread VALUES (1, 1), (2, 1), (3, 2);
                    INSERT INTO message VALUES (1, 1, 1), (2, 1, 2), (3, 2, 2), (4, 2, 3);
                    """)
        }
        let thread = Table("thread").filter(Column("tenantID") == 1)
        let message = Table("message").filter(Column("tenantID") == 1)
        let delete = { (id: Int, db: Database) in
            try db.execute(sql: "DELETE FROM thread WHERE id = ?", arguments: [id])
        }
        try writer.write(in: DatabaseScope().writing(thread)) { db throws in
            expectError(.SQLITE_AUTH, "the scope does not include message.threadID") { try delete(1, db) }
        }
        try writer.write(in: DatabaseScope().writing(thread).reading(message)) { db throws in
            expectError(.SQLITE_AUTH, "the scope can't change message") { try delete(1, db) }
        }
        try writer.write(in: DatabaseScope().writing(thread).writing(message)) { db throws in
            try delete(1, db)
            // One of the messages belongs to the other tenant.
            expectError(.SQLITE_CONSTRAINT_TRIGGER, "the scope can't change this row of message") { try delete(2, db) }
        }
        #expect(try writer.read { try Int.fetchAll($0, sql: "SELECT id FROM message") } == [2, 3, 4])
    }

    @Test func rowsThatOthersReferTo() throws {
        let writer = try make()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE thread(id INTEGER PRIMARY KEY, tenantID INTEGER);
                    CREATE TABLE message(id INTEGER PRIMARY KEY, "thread ID" INTEGER REFERENCES THREAD(id));
                    INSERT INTO thread VALUES (1, 1);
                    INSERT INTO message VALUES (1, 1);
                    """)
        }
        let scope = DatabaseScope().writing(Table("thread").filter(Column("tenantID") == 1))
        for _ in 1...2 {
            try writer.write(in: scope) { db throws in
                try db.execute(sql: "INSERT INTO thread(tenantID) VALUES (1), (1)")
                for sql in ["DELETE FROM thread WHERE id = 1", "UPDATE thread SET id = id + 1 WHERE id = 1"] {
                    expectError(.SQLITE_AUTH, "the scope does not include message.thread ID") {
                        try db.execute(sql: sql)
                    }
                }
            }
        }
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM thread") } == 5)
    }

    @Test func errorsRollBackAndLeaveNothing() throws {
        let writer = try make()
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try writer.write(in: scope(1)) { db in
                try db.execute(sql: "DELETE FROM note")
                throw Failure()
            }
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c"])
        try writer.write { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master") == 0)
            try db.execute(sql: "INSERT INTO note VALUES (4, 2, NULL, 'd')")
        }
        // A statement that rolls the transaction back takes the checks with it: nothing can be written afterwards.
        #expect(throws: DatabaseError.self) {
            try writer.write(in: scope(1)) { db in
                try? db.execute(sql: "INSERT INTO once VALUES (1, 1)")
                try? db.execute(sql: "INSERT INTO note VALUES (5, 2, NULL, 'd')")
                try? db.execute(sql: "DELETE FROM note")
            }
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c", "4 2 d"])
    }

    /// The program has begun the transaction that a statement rolls back.
    @Test func rollbackOfTheProgramsTransaction() throws {
        let writer = try make()
        try writer.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.write(in: scope(1)) { db throws in
                expectError(.SQLITE_CONSTRAINT_PRIMARYKEY, "UNIQUE constraint failed: once.id") {
                    try db.execute(sql: "INSERT INTO once VALUES (1, 1)")
                }
                // It acknowledges the loss, so that statements would run again.
                try db.rollback()
                expectError(.SQLITE_ABORT, "the transaction of the scope has been rolled back") {
                    try db.execute(sql: "INSERT INTO note VALUES (5, 2, NULL, 'd')")
                }
            }
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c"])
    }

    /// More rows can be read than written.
    @Test func differentRowsToReadAndToWrite() throws {
        let writer = try make()
        let note = Table<Note>("note")
        let scope = DatabaseScope().reading(note.all()).writing(note.filter(Column("tenantID") == 1))
            .reading(Customer.select { [$0.id] })
        try writer.write(in: scope) { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM note") == 3)
            #expect(try Int.fetchAll(db, sql: "DELETE FROM note RETURNING id") == [1, 3])
        }
        #expect(try notes(writer) == ["2 2 b"])
    }

    /// Fewer rows can be read than written: rows that can't be read can be inserted, but not changed, because RETURNING and
    /// errors would reveal them.
    @Test func rowsThatCanOnlyBeInserted() throws {
        let writer = try make()
        let note = Table<Note>("note")
        let mine = note.filter(Column("tenantID") == 1)
        let scope = DatabaseScope().reading(mine.filter(Column("id") < 3)).writing(mine)
            .reading(Customer.select { [$0.id] })
        try writer.write(in: scope) { db throws in
            #expect(try Int.fetchAll(db, sql: "UPDATE note SET tenantID = tenantID RETURNING id") == [1])
            #expect(try Int.fetchAll(db, sql: "DELETE FROM note WHERE id > 1 RETURNING id") == [])
            try db.execute(sql: "UPDATE note SET body = json(body) WHERE id = 3")
            try db.execute(sql: "INSERT INTO note VALUES (3, 1, NULL, 'z') ON CONFLICT DO UPDATE SET body = 'z'")
            try db.execute(sql: "INSERT INTO note VALUES (9, 1, NULL, 'sent')")
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM note") == [1])
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c", "9 1 sent"])
    }

    @Test func requestsToReadThatDoNotFitThoseToWrite() throws {
        let writer = try make()
        let note = Table<Note>("note")
        for request in [note.limit(1), note.all().distinct()] {
            let scope = DatabaseScope().reading(request).writing(note.all())
            expectError(
                .SQLITE_MISUSE,
                "a scope can't include note: the request has more than conditions, but the scope writes this table: use "
                    + "conditions only"
            ) {
                try writer.write(in: scope) { try $0.execute(sql: "DELETE FROM note") }
            }
        }
        try writer.write { try $0.execute(sql: "CREATE TABLE ids(id); INSERT INTO ids VALUES (1)") }
        for condition in ["id IN (SELECT id FROM ids)", "id IN ids"] {
            let scope = DatabaseScope().reading(note.filter(sql: condition)).writing(note.all())
            expectError(
                .SQLITE_MISUSE,
                "a scope can't include note: the request has a subquery, but the scope writes this table: use conditions "
                    + "on its columns only"
            ) {
                try writer.write(in: scope) { try $0.execute(sql: "DELETE FROM note") }
            }
        }
        // Without changes, a condition may read other tables.
        let scope = DatabaseScope().reading(note.filter(sql: "id IN (SELECT id FROM ids)"))
        #expect(try writer.read(in: scope) { try Int.fetchAll($0, sql: "SELECT id FROM note") } == [1])
    }

    /// A row of the scope whose key is equal to that of a row outside, by the collation of the column.
    @Test(arguments: [("NOCASE", "x", "X"), ("RTRIM", "x", "x ")])
    func keysThatDifferInTheirCollation(collation: String, mine: String, other: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE par(id INTEGER PRIMARY KEY, tenantID INTEGER);
                    CREATE TABLE chi(
                        parID INTEGER REFERENCES par(id) ON DELETE CASCADE, tenantID INTEGER,
                        name TEXT COLLATE \(collation), PRIMARY KEY (name COLLATE BINARY)) WITHOUT ROWID;
                    INSERT INTO par VALUES (1, 1); INSERT INTO chi VALUES (NULL, 1, ?), (1, 2, ?)
                    """, arguments: [mine, other])
        }
        let scope = DatabaseScope().writing(Table("par").filter(Column("tenantID") == 1))
            .writing(Table("chi").filter(Column("tenantID") == 1))
        expectError(.SQLITE_CONSTRAINT_TRIGGER, "the scope can't change this row of chi") {
            try queue.write(in: scope) { try $0.execute(sql: "DELETE FROM par") }
        }
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM chi") } == 2)
    }

    /// The conditions of two tables may be the same text.
    @Test(arguments: [false, true]) func scopesOfOtherTables(isRaw: Bool) throws {
        let writer = try make()
        func scope(_ table: String) -> DatabaseScope {
            let table = Table(table)
            let rows = isRaw ? table.filter(sql: "tenantID = ?", arguments: [1]) : table.all()
            return Tenants.scope(1).writing(rows)
        }
        for (table, other) in [("note", "pair"), ("pair", "note"), ("note", "pair")] {
            try writer.write(in: scope(table)) { db throws in
                try db.execute(sql: "UPDATE \(table) SET tenantID = 1 WHERE tenantID = 1")
                expectError(.SQLITE_AUTH, "the scope does not include \(other).tenantID") {
                    try Row.fetchAll(db, sql: "SELECT tenantID FROM \(other)")
                }
                expectError(.SQLITE_AUTH, "the scope can't change \(other)") {
                    try db.execute(sql: "DELETE FROM \(other)")
                }
            }
        }
        #expect(try notes(writer) == ["1 1 a", "2 2 b", "3 1 c"])
    }

    @Test func asynchronousWritesAndObservers() async throws {
        let writer = try make(.pool)
        let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") }
        var counts = observation.values(in: writer).makeAsyncIterator()
        #expect(try await counts.next() == 3)
        try await writer.write(in: scope(1)) { try $0.execute(sql: "DELETE FROM note WHERE id = 1") }
        #expect(try await counts.next() == 2)
    }
}
