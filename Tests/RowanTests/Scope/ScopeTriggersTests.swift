// The triggers that check the rows of scopes stay between scoped accesses.

import Rowan
import Testing

@Suite struct ScopeTriggersTests {
    private let folder = try! TemporaryFolder()

    private func make(
        _ kind: ConnectionKind, _ configuration: Configuration = Configuration()
    ) throws -> any DatabaseWriter {
        let writer = try kind.make(in: folder, configuration)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE note(id INTEGER PRIMARY KEY, tenantID INTEGER, body TEXT);
                    CREATE TABLE tag(noteID INTEGER REFERENCES note(id), tenantID INTEGER);
                    INSERT INTO note VALUES (1, 1, 'a'), (2, 2, 'b');
                    """)
        }
        return writer
    }

    private func notes(_ tenant: Int) -> DatabaseScope {
        DatabaseScope().writing(Table("note").filter(Column("tenantID") == tenant))
    }

    private func tags(_ tenant: Int) -> DatabaseScope {
        notes(tenant).writing(Table("tag").filter(Column("tenantID") == tenant))
    }

    private func insert(_ writer: some DatabaseWriter, _ id: Int, _ tenant: Int, in scope: DatabaseScope) throws {
        try writer.write(in: scope) { try $0.execute(literal: "INSERT INTO note VALUES (\(id), \(tenant), 'x')") }
    }

    private func expectRefusal(_ body: () throws -> Void) {
        expectError(.SQLITE_CONSTRAINT_TRIGGER, "the scope can't store this row in note", body)
    }

    private func count(_ writer: some DatabaseWriter) throws -> Int? {
        try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") }
    }

    /// The triggers of the scopes, when they were last seen.
    private func triggers(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_temp_master")
    }

    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster })
    func alternatingAccesses(kind: ConnectionKind) throws {
        let writer = try make(kind)
        for round in 0..<3 {
            for tenant in 1...2 {
                let id = 10 + round * 100 + tenant * 10
                try insert(writer, id, tenant, in: notes(tenant))
                expectRefusal { try insert(writer, id + 1, 3 - tenant, in: notes(tenant)) }
                try insert(writer, id + 2, tenant, in: tags(tenant))
                expectRefusal { try insert(writer, id + 3, 3 - tenant, in: tags(tenant)) }
                try insert(writer, id + 4, tenant, in: notes(tenant))
                expectRefusal { try insert(writer, id + 5, 3 - tenant, in: notes(tenant)) }
            }
            // Without a scope, all rows can be written, and no trigger slows this down.
            try writer.write { db throws in
                #expect(try triggers(db) == 0)
                try db.execute(sql: "UPDATE note SET tenantID = 3 - tenantID")
                try db.execute(sql: "UPDATE note SET tenantID = 3 - tenantID")
            }
            // A part of an access.
            try writer.write { db throws in
                try db.write(in: notes(1)) { db throws in
                    expectRefusal { try db.execute(literal: "INSERT INTO note VALUES (\(1000 + round), 2, 'x')") }
                }
                #expect(try triggers(db) == 0)
            }
        }
        #expect(try count(writer) == 2 + 3 * 6)
    }

    /// In a queue, reads share the connection with the triggers.
    @Test func readsWithTriggers() throws {
        let writer = try make(.memoryQueue)
        try insert(writer, 10, 1, in: notes(1))
        try writer.read { db throws in
            #expect(try triggers(db)! > 0)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM note") == 3)
            #expect(try db.tableExists("note"))
        }
        #expect(try writer.read(in: notes(2)) { try Int.fetchAll($0, sql: "SELECT id FROM note") } == [2])
        expectRefusal { try insert(writer, 11, 2, in: notes(1)) }
    }

    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster })
    func closing(kind: ConnectionKind) throws {
        for closesWithScope in [true, false] {
            let folder = try TemporaryFolder()
            let writer = try kind.make(in: folder)
            try writer.write { try $0.execute(sql: "CREATE TABLE note(id, tenantID, body)") }
            try insert(writer, 10, 1, in: notes(1))
            #expect(try writer.read(in: notes(1)) { try Int.fetchAll($0, sql: "SELECT id FROM note") } == [10])
            if !closesWithScope { try writer.write { try $0.execute(sql: "DELETE FROM note") } }
            writer.writeWithoutTransaction { $0.releaseMemory() }
            try insert(writer, 11, 1, in: notes(1))
            try writer.close()
        }
    }

    @Test func moreScopesThanKeepTheirTriggers() throws {
        let writer = try make(.pool)
        for round in 0..<2 {
            for number in 0..<9 {
                let condition = SQL("tenantID = 1 AND id < \(sql: String(1000 + number))")
                let scope = DatabaseScope().writing(Table("note").filter(literal: condition))
                let id = 10 + round * 100 + number
                try insert(writer, id, 1, in: scope)
                expectRefusal { try insert(writer, 1000 + number, 1, in: scope) }
            }
        }
        #expect(try count(writer) == 2 + 2 * 9)
    }

    /// The program, or another process, changes the schema between two accesses.
    @Test(arguments: [ConnectionKind.pool, .fileQueue], [true, false])
    func schemaChanges(kind: ConnectionKind, isForeign: Bool) throws {
        let writer = try make(kind)
        let path = writer.path
        func change(_ sql: String) throws {
            guard isForeign else { return try writer.write { try $0.execute(sql: sql) } }
            try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
        }
        try insert(writer, 10, 1, in: tags(1))
        try change("ALTER TABLE note ADD COLUMN color TEXT; ALTER TABLE note RENAME COLUMN body TO text")
        try writer.write(in: tags(1)) { try $0.execute(sql: "INSERT INTO note VALUES (11, 1, 'x', 'red')") }
        try change("ALTER TABLE note DROP COLUMN text")
        expectRefusal {
            try writer.write(in: tags(1)) { try $0.execute(sql: "INSERT INTO note VALUES (12, 2, 'red')") }
        }
        try change(
            "DROP TABLE tag; ALTER TABLE note RENAME TO tag; CREATE TABLE note(id INTEGER PRIMARY KEY, tenantID)")
        try writer.write(in: notes(1)) { try $0.execute(sql: "INSERT INTO note VALUES (1, 1)") }
        expectRefusal { try writer.write(in: notes(1)) { try $0.execute(sql: "INSERT INTO note VALUES (2, 2)") } }
        try change("DROP TABLE note")
        expectError(.SQLITE_ERROR, "no such table: main.note") { try insert(writer, 13, 1, in: notes(1)) }
    }

    @Test(arguments: [true, false]) func asynchronousWrites(isGrouped: Bool) async throws {
        var configuration = Configuration()
        configuration.groupsAsyncWrites = isGrouped
        let writer = try make(.pool, configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 10..<60 {
                group.addTask {
                    let tenant = id % 2 + 1
                    try await writer.write(in: notes(tenant)) {
                        try $0.execute(literal: "INSERT INTO note VALUES (\(id), \(tenant), 'x')")
                    }
                    do {
                        try await writer.write(in: id % 3 == 0 ? notes(tenant) : tags(tenant)) {
                            try $0.execute(literal: "INSERT INTO note VALUES (\(id + 100), \(3 - tenant), 'x')")
                        }
                        Issue.record("not refused")
                    } catch let error as DatabaseError {
                        #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER)
                    }
                    if id % 10 == 0 { try await writer.write { try $0.execute(sql: "UPDATE note SET body = 'y'") } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try count(writer) == 52)
    }

    /// What a stranger has written, for the rows of one tenant.
    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster })
    func untrustedStatements(kind: ConnectionKind) throws {
        var configuration = Configuration()
        var limits = SQLLimits()
        limits.rows = 10
        configuration.trust = [.untrustedFile, .untrustedSQL(limits)]
        let writer = try make(kind, configuration)
        for round in 0..<2 {
            let sql = "SELECT count(*) FROM note JOIN (SELECT 1 AS tenantID) USING (tenantID)"
            #expect(try writer.read(in: notes(1)) { try Int.fetchOne($0, sql: sql) } == 1 + round)
            try writer.read(in: notes(1)) { db throws in
                expectError(.SQLITE_AUTH, "the scope does not include tag.noteID") {
                    try Row.fetchAll(db, sql: "SELECT noteID FROM tag")
                }
                expectError(.SQLITE_AUTH, "the scope does not include dbstat") {
                    try Row.fetchAll(db, sql: "SELECT * FROM dbstat")
                }
                expectError(.SQLITE_AUTH, "untrusted SQL can't attach a database, or run VACUUM") {
                    try db.execute(sql: "ATTACH 'x' AS x")
                }
            }
            try writer.write(in: tags(1)) { db throws in
                try db.execute(sql: "INSERT INTO note VALUES (10, 1, 'x') ON CONFLICT DO UPDATE SET body = body || 'y'")
                try db.execute(
                    sql: "INSERT INTO tag VALUES (10, 1); DELETE FROM tag; UPDATE note SET body = 'z' WHERE id = 2")
                expectRefusal { try db.execute(sql: "INSERT INTO note VALUES (11, 2, 'x')") }
            }
            expectRefusal { try insert(writer, 12, 2, in: notes(1)) }
        }
        let texts = try writer.read { try String.fetchAll($0, sql: "SELECT body FROM note ORDER BY id") }
        #expect(texts == ["a", "b", "xy"])
    }
}
