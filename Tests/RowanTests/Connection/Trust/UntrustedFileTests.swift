// Files that were made to attack the program: what their schemas can call, and what SQL can do to them.

import Foundation
import Rowan
import Synchronization
import Testing

@Suite struct UntrustedFileTests {
    /// Counts the calls of a function, which the schemas of these tests call wherever a schema can.
    private final class Calls: Sendable {
        let count = Mutex(0)

        func configuration(_ trust: DatabaseTrust, _ safety: DatabaseFunction.Safety = .default) -> Configuration {
            var configuration = Configuration()
            configuration.trust = trust
            configuration.prepareDatabase { db in
                db.add(
                    function: DatabaseFunction("leak", argumentCount: 1, pure: true, safety: safety) { values in
                        self.count.withLock { $0 += 1 }
                        return values[0]
                    })
            }
            return configuration
        }
    }

    /// The definitions that call a function, and a statement that runs each.
    private static let attacks = [
        ("CREATE VIEW v AS SELECT leak(1) AS a", "SELECT a FROM v"),
        ("CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT leak(new.a); END", "INSERT INTO t(a) VALUES (1)"),
        ("CREATE TABLE g(a, b AS (leak(a)))", "INSERT INTO g(a) VALUES (1); SELECT b FROM g"),
        ("CREATE TABLE c(a CHECK (leak(a)))", "INSERT INTO c VALUES (1)"),
        ("CREATE TABLE d(a, b DEFAULT (leak(1)))", "INSERT INTO d(a) VALUES (1)"),
        ("CREATE INDEX i ON t(leak(a))", "INSERT INTO t(a) VALUES (1)"),
        ("CREATE INDEX p ON t(a) WHERE leak(a)", "INSERT INTO t(a) VALUES (1)"),
    ]

    @Test(arguments: attacks, ConnectionKind.files)
    func schemasCallOnlyInnocuousFunctions(_ attack: (String, String), _ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let (definition, statement) = attack
        let calls = Calls()
        // The file is made by a program that trusts it.
        let maker = try kind.make(in: folder, calls.configuration(.trusted))
        try maker.write { try $0.execute(sql: "CREATE TABLE t(a); \(definition)") }
        try maker.write { try $0.execute(sql: statement) }
        #expect(calls.count.withLock { $0 } > 0)
        let bytes = try maker.read { try $0.serialize() }
        try maker.close()

        for (safety, isCalled) in [(DatabaseFunction.Safety.default, false), (.direct, false), (.innocuous, true)] {
            let path = folder.path("\(safety).sqlite")
            try bytes.write(to: URL(fileURLWithPath: path))
            let calls = Calls()
            let configuration = calls.configuration(.untrustedFile, safety)
            guard isCalled else {
                // SQLite finds some uses when it reads the schema, and others when a statement is compiled.
                let error = #expect(throws: DatabaseError.self) {
                    try kind.make(path: path, configuration).write { try $0.execute(sql: statement) }
                }
                #expect(error?.message?.hasSuffix("unsafe use of leak()") == true, "\(error as Any)")
                #expect(calls.count.withLock { $0 } == 0)
                continue
            }
            let writer = try kind.make(path: path, configuration)
            try writer.write { try $0.execute(sql: statement) }
            #expect(calls.count.withLock { $0 } > 0)
        }
    }

    /// The program's own statements may call any function.
    @Test func statementsCallAllFunctions() throws {
        let calls = Calls()
        let queue = try DatabaseQueue(configuration: calls.configuration(.untrustedFile, .direct))
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT leak(3)") } == 3)
    }

    @Test func schemasCallNoDirectFunctionEvenIfTrusted() throws {
        let calls = Calls()
        let queue = try DatabaseQueue(configuration: calls.configuration(.trusted, .direct))
        expectError(.SQLITE_ERROR, "unsafe use of leak()") {
            try queue.write { try $0.execute(sql: "CREATE VIEW v AS SELECT leak(1) AS a; SELECT * FROM v") }
        }
    }

    @Test func schemasReadOnlyInnocuousCollections() throws {
        for (safety, isRead) in [(DatabaseFunction.Safety.default, false), (.direct, false), (.innocuous, true)] {
            var configuration = Configuration()
            configuration.trust = .untrustedFile
            configuration.prepareDatabase { try $0.register([1, 2], as: "secrets", safety: safety) }
            let queue = try DatabaseQueue(configuration: configuration)
            #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT * FROM secrets") } == [1, 2])
            try queue.write { try $0.execute(sql: "CREATE VIEW v AS SELECT * FROM secrets") }
            if isRead {
                #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT * FROM v") } == [1, 2])
            } else {
                expectError(.SQLITE_ERROR, "unsafe use of virtual table \"secrets\"") {
                    try queue.read { try Int.fetchAll($0, sql: "SELECT * FROM v") }
                }
            }
        }
    }

    @Test(arguments: ConnectionKind.allCases) func settings(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.trust = .untrustedFile
        configuration.mmapSize = 1 << 20
        configuration.acceptsDoubleQuotedStringLiterals = true
        configuration.allowsExtensions = true
        let writer = try kind.make(in: folder, configuration)
        func check(_ db: Database) throws {
            #expect(try Bool.fetchOne(db, sql: "PRAGMA trusted_schema") == false)
            #expect(try Bool.fetchOne(db, sql: "PRAGMA cell_size_check") == true)
            #expect(try Int.fetchOne(db, sql: "PRAGMA mmap_size") ?? 0 == 0)
            let string = expectError(.SQLITE_ERROR) { try db.makeStatement(sql: "SELECT \"nothing\"") }
            #expect(string?.message?.hasPrefix("no such column: ") == true)
            expectError(.SQLITE_AUTH) { try db.loadExtension(path: "/nowhere/lib.so") }
            expectError(.SQLITE_ERROR, "fts3tokenize disabled") {
                try Row.fetchOne(db, sql: "SELECT fts3_tokenizer('evil', x'0000000000000000')")
            }
        }
        try writer.read(check)
        try writer.writeWithoutTransaction { db throws in
            try check(db)
            // Defensive mode: the schema can't be written, also not with the pragma.
            try db.execute(sql: "PRAGMA writable_schema = ON; CREATE TABLE t(a)")
            expectError(.SQLITE_ERROR, "table sqlite_master may not be modified") {
                try db.execute(sql: "UPDATE sqlite_master SET sql = 'CREATE TABLE t(b)'")
            }
            try db.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(a)")
            expectError(.SQLITE_ERROR, "table f_data may not be modified") { try db.execute(sql: "DELETE FROM f_data") }
        }
    }

    // MARK: The check of the file

    /// Full-text tables of old versions call functions that their definitions name, and need stack for each node of a tree.
    @Test(arguments: ["fts4(a, compress=plain, uncompress=leak)", "fts4(a)", "fts3(a)", "fts4aux(g)", "fts3tokenize"])
    func fullTextTablesOfOldVersionsAreNotRead(definition: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("fts.sqlite")
        func make(_ trust: DatabaseTrust, _ calls: Calls) throws -> DatabaseQueue {
            var configuration = calls.configuration(trust, .innocuous)
            configuration.prepareDatabase { db in
                db.add(function: DatabaseFunction("plain", argumentCount: 1, pure: true, safety: .innocuous) { $0[0] })
            }
            return try DatabaseQueue(path: path, configuration: configuration)
        }
        try make(.trusted, Calls()).write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE g USING fts4(a); CREATE VIRTUAL TABLE f USING \(definition);
                    CREATE TABLE t(a); INSERT INTO t VALUES (1)
                    """)
        }
        let calls = Calls()
        let queue = try make(.untrustedFile, calls)
        let module = definition.prefix { $0 != "(" }
        for sql in ["SELECT * FROM f", "INSERT INTO f VALUES ('y')", "SELECT * FROM f WHERE f MATCH 'x'"] {
            expectError(.SQLITE_ERROR, "no such module: \(module)") {
                try queue.write { try Row.fetchAll($0, sql: sql) }
            }
        }
        #expect(calls.count.withLock { $0 } == 0)
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
    }

    @Test(arguments: [
        "fts5(value, content='secrets', content_rowid='rowid')", "fts4(content='secrets', value)",
        "fts5(value, content='sqlite_stmt', content_rowid='rowid')",
        "fts4(seq, name, file, content='pragma_database_list')", "fts4(name, pageno, content='dbstat')",
    ])
    func fullTextTablesReadOnlyInnocuousCollections(definition: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("content.sqlite")
        func make(_ trust: DatabaseTrust, _ safety: DatabaseFunction.Safety) throws -> DatabaseQueue {
            var configuration = Configuration()
            configuration.trust = trust
            configuration.prepareDatabase { try $0.register(["key 1", "key 2"], as: "secrets", safety: safety) }
            return try DatabaseQueue(path: path, configuration: configuration)
        }
        try make(.trusted, .default).write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE f USING \(definition)")
        }
        for safety in [DatabaseFunction.Safety.default, .direct] {
            let queue = try make(.untrustedFile, safety)
            for sql in ["SELECT * FROM f", "SELECT * FROM f WHERE rowid = 1"] {
                #expect(throws: DatabaseError.self) { try queue.read { try Row.fetchAll($0, sql: sql) } }
            }
            #expect(try queue.read { try String.fetchAll($0, sql: "SELECT * FROM secrets") } == ["key 1", "key 2"])
        }
        guard definition.contains("secrets"), definition.hasPrefix("fts5") else { return }
        let queue = try make(.untrustedFile, .innocuous)
        #expect(try queue.read { try String.fetchAll($0, sql: "SELECT value FROM f") } == ["key 1", "key 2"])
    }

    @Test func filesDoNotUseModulesThatRevealMore() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("modules.sqlite")
        try DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = 1;
                    INSERT INTO sqlite_master VALUES ('table', 's', 's', 0, 'CREATE VIRTUAL TABLE s USING sqlite_stmt');
                    """)
        }
        var configuration = Configuration()
        configuration.trust = .untrustedFile
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        expectError(.SQLITE_ERROR, "no such module: sqlite_stmt") {
            try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM s") }
        }
    }

    /// SQLite compiles statements again when they run, which must not be taken for SQL of a module.
    @Test func statementsThatAreCompiledAgain() throws {
        for safety in [DatabaseFunction.Safety.default, .direct] {
            let calls = Calls()
            var configuration = calls.configuration(.untrustedFile, safety)
            configuration.prepareDatabase { try $0.register(["a"], as: "secrets", safety: safety) }
            let queue = try DatabaseQueue(configuration: configuration)
            try queue.writeWithoutTransaction { db throws in
                try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
                let kept = try db.makeStatement(sql: "SELECT leak(a) FROM t")
                let collection = try db.makeStatement(sql: "SELECT value FROM secrets")
                for change in ["CREATE TABLE u(a)", "ANALYZE", "CREATE TEMP TABLE v(a)", "PRAGMA foreign_keys = 0"] {
                    _ = try Row.fetchAll(db, sql: "SELECT leak(a) FROM t")
                    let cursor = try Row.fetchCursor(db, sql: "WITH n(i) AS (VALUES (1), (2), (3)) SELECT i FROM n")
                    _ = try cursor.next()
                    try db.execute(sql: change)
                    #expect(try Int.fetchAll(kept) == [1, 2], "\(change)")
                    #expect(try String.fetchAll(collection) == ["a"], "\(change)")
                    #expect(try Int.fetchAll(db, sql: "SELECT leak(a) FROM t") == [1, 2], "\(change)")
                    #expect(try cursor.next()?[0] == 2)
                }
            }
        }
    }

    /// The modules call functions that only SQLite can call.
    @Test func virtualTablesAreRenamed() throws {
        var configuration = Configuration()
        configuration.trust = .untrustedFile
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in
            for module in ["fts5", "rtree"] {
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE \(module)a USING \(module)(a, b, c);
                        INSERT INTO \(module)a VALUES (1, 2, 3);
                        ALTER TABLE \(module)a RENAME TO \(module)b;
                        """)
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(module)b") == 1)
            }
        }
    }

    @Test func journalsThatNameOtherFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("upload.sqlite")
        try DatabaseQueue(path: path).close()
        var configuration = Configuration()
        let victim = Array(folder.path("victim").utf8)
        func bigEndian(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian, Array.init) }
        let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let end = bigEndian(victim.count) + bigEndian(victim.reduce(0) { $0 + Int($1) }) + mark
        let journal = URL(fileURLWithPath: path + "-journal")
        try Data([UInt8](repeating: 0, count: 512) + bigEndian(0) + victim + end).write(to: journal)
        configuration.trust = .untrustedFile
        expectError(
            .SQLITE_CORRUPT,
            "\(path)-journal names another file, which SQLite would delete: don't accept journals with uploads"
        ) {
            try DatabaseQueue(path: path, configuration: configuration)
        }
        for size in [0, 7, 8, 600] {
            try Data(repeating: 0, count: size).write(to: journal)
            try DatabaseQueue(path: path, configuration: configuration).close()
        }
    }

    /// The check of a file runs no code of the file, and leaves the connection as it was.
    @Test func checksOfTablesDoNotRun() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("checks.sqlite")
        let calls = Calls()
        try DatabaseQueue(path: path, configuration: calls.configuration(.trusted, .innocuous)).write { db in
            try db.execute(sql: "CREATE TABLE t(a CHECK (leak(a) <> 2)); INSERT INTO t VALUES (1)")
        }
        calls.count.withLock { $0 = 0 }
        var configuration = calls.configuration(.untrustedFile, .innocuous)
        configuration.checksFileOnOpen = .seconds(60)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        #expect(calls.count.withLock { $0 } == 0)
        expectError(.SQLITE_CONSTRAINT_CHECK) { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") } }
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA ignore_check_constraints = 1") }
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    }

    @Test(arguments: ConnectionKind.files) func aDamagedFileIsRefused(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let maker = try kind.make(in: folder, Configuration())
        try maker.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(a INTEGER PRIMARY KEY, b);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                    INSERT INTO t SELECT i, hex(randomblob(50)) FROM n
                    """)
        }
        var bytes = try maker.read { try $0.serialize() }
        try maker.close()
        // The header of a page in the middle.
        let page = bytes.count / 4_096 / 2
        bytes.replaceSubrange(page * 4_096..<page * 4_096 + 8, with: Data(repeating: 0xFF, count: 8))
        let path = folder.path("damaged.sqlite")
        try bytes.write(to: URL(fileURLWithPath: path))

        var configuration = Configuration()
        _ = try kind.make(path: path, configuration)
        configuration.checksFileOnOpen = .seconds(60)
        let error = expectError(.SQLITE_CORRUPT) { try kind.make(path: path, configuration) }
        #expect(error?.message?.hasPrefix("the file is damaged: ") == true)
        #expect(error?.message?.hasSuffix(" - \(path)") == true)
    }

    /// A tree whose pages each have only the next one, which SQLite checks one inside the other.
    @Test func aChainOfPagesIsChecked() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("chain.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = 512; VACUUM; CREATE TABLE t(a)") }
        try queue.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(512)
        let count: UInt32 = 60_000
        func number(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
        bytes.replaceSubrange(28..<32, with: number(count))
        for page in 2...count {
            let isLast = page == count
            let header = Data([isLast ? 0x0D : 0x05, 0, 0, 0, 0, 2, 0, 0]) + (isLast ? Data() : number(page + 1))
            bytes += header + Data(count: 512 - header.count)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        var configuration = Configuration()
        configuration.trust = .untrustedFile
        configuration.checksFileOnOpen = .seconds(60)
        expectError(.SQLITE_CORRUPT, "database disk image is malformed") {
            try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    @Test func aSoundFileIsAccepted() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.trust = .untrustedFile
        configuration.checksFileOnOpen = .seconds(60)
        let queue = try DatabaseQueue(path: folder.path("sound.sqlite"), configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        #expect(try queue.read { try $0.tableExists("t") })
    }

    @Test func aCheckThatTakesTooLongIsAnError() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("long.sqlite")
        try DatabaseQueue(path: path).write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(a UNIQUE);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i FROM n
                    """)
        }
        var configuration = Configuration()
        configuration.checksFileOnOpen = .nanoseconds(1)
        expectError(
            .SQLITE_INTERRUPT,
            "the check of the file took longer than 1e-09 seconds: raise Configuration.checksFileOnOpen - \(path)"
        ) {
            try DatabaseQueue(path: path, configuration: configuration)
        }
    }
}
