// A database of a cluster as a file, and back.

import Foundation
import Rowan
import RowanCluster
import Synchronization
import Testing

@Suite(.serialized)
struct BackupTests {
    let home: NodeHome

    init() throws { home = try NodeHome() }

    private func file(_ name: String) -> String { home.folder.appendingPathComponent(name).path }

    private func backup(_ name: String, _ more: String...) throws -> (code: Int32, output: String, errors: String) {
        try Program(["backup", "--cluster", home.address(1), "--database", "app", "--to", file(name)] + more).end()
    }

    private func restore(
        _ name: String, into database: String = "app"
    ) throws -> (code: Int32, output: String, errors: String) {
        try Program(["restore", "--cluster", home.address(1), "--database", database, "--from", file(name)]).end()
    }

    private func writeFile(_ name: String, _ sql: String) throws {
        let queue = try DatabaseQueue(path: file(name))
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// The names in the folder without those of the nodes.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home.folder.path).filter { !$0.hasPrefix("node") }.sorted()
    }

    // MARK: Back up

    @Test func aBackupUnderWritesContainsAllEarlierCommits() throws {
        for id in 1...3 { try home.start(id) }
        let cluster = try DatabaseCluster(addresses: [home.address(1)], database: "app")
        try cluster.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, note BLOB);
                    CREATE TABLE counter(value INTEGER NOT NULL);
                    INSERT INTO counter VALUES (0);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                    INSERT INTO account SELECT i, 100, zeroblob(1000) FROM n;
                    """)
        }
        let writer = Writer(cluster)
        for round in 1...5 {
            let count = writer.count
            let result = try backup("app.sqlite", "--overwrite")
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("the follower "))
            let copy = try DatabaseQueue(path: file("app.sqlite"))
            let (sum, copied) = try copy.read { db in
                (
                    try Int.fetchOne(db, sql: "SELECT sum(balance) FROM account"),
                    try Int.fetchOne(db, sql: "SELECT value FROM counter") ?? 0
                )
            }
            #expect(sum == 50_000)
            #expect(copied >= count, "round \(round)")
            try copy.close()
        }
        try writer.stop()
        #expect(try files() == ["app.sqlite"])
        let led = try backup("led.sqlite", "--from-leader")
        #expect(led.output.hasPrefix("the leader \(home.address(1)) supplied app: "), "\(led.errors)")
        try cluster.close()
    }

    @Test func withoutALeaderANodeSuppliesWhatItHas() throws {
        for id in 1...2 { try home.start(id) }
        let cluster = try DatabaseCluster(addresses: [home.address(1)], database: "app")
        try cluster.write { try $0.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)") }
        try cluster.close()
        home.node(2)?.end(by: SIGKILL)
        let result = try backup("alone.sqlite", "--without-leader")
        #expect(result.output.hasPrefix("\(home.address(1)) supplied app: "), "\(result.errors)")
        let copy = try DatabaseQueue(path: file("alone.sqlite"))
        #expect(try copy.read { try $0.tableExists("player") })
    }

    @Test func aFrozenFollowerIsSkipped() throws {
        for id in 1...3 { try home.start(id) }
        try writeFile("player.sqlite", "CREATE TABLE player(id INTEGER PRIMARY KEY)")
        #expect(try restore("player.sqlite").code == 0)
        home.node(2)?.send(SIGSTOP)
        let result = try backup("app.sqlite")
        #expect(result.output.hasPrefix("the follower \(home.address(3)) supplied app: "), "\(result.errors)")
        home.node(2)?.send(SIGCONT)
    }

    @Test func aSingleNodeSuppliesItsOwnCopy() throws {
        try home.start(1)
        try writeFile("player.sqlite", "CREATE TABLE player(id INTEGER PRIMARY KEY)")
        #expect(try restore("player.sqlite").code == 0)
        #expect(try backup("app.sqlite").output.hasPrefix("the leader \(home.address(1)) supplied app: "))
    }

    @Test func refusedBackups() throws {
        try home.start(1)
        try writeFile("player.sqlite", "CREATE TABLE player(id INTEGER PRIMARY KEY); INSERT INTO player VALUES (1)")
        let unknown = try backup("app.sqlite")
        #expect(unknown.code == 1 && unknown.errors.contains("has no database named app, or it is empty"))
        #expect(try restore("player.sqlite").code == 0)

        let existing = try backup("player.sqlite")
        #expect(existing.code == 1 && existing.errors.contains("player.sqlite exists: choose another path"))
        #expect(try backup("player.sqlite", "--overwrite").code == 0)

        try Data([0]).write(to: URL(fileURLWithPath: file("other.sqlite-wal")))
        let log = try backup("other.sqlite")
        #expect(log.code == 1 && log.errors.contains("other.sqlite-wal belongs to another database"))

        let folder = try backup("missing/app.sqlite")
        #expect(folder.code == 1 && folder.errors.contains("can't be written: No such file or directory"))
        let node = try backup("node1")
        #expect(node.code == 1 && node.errors.contains("isn't a file"))
        #expect(try files() == ["other.sqlite-wal", "player.sqlite"])
    }

    @Test func aFullDiskLeavesNoFile() throws {
        try home.start(1)
        try writeFile("big.sqlite", "CREATE TABLE big(value); INSERT INTO big VALUES (randomblob(200000))")
        #expect(try restore("big.sqlite").code == 0)
        // Files may have 50 blocks of 512 or 1024 bytes.
        let command = [
            "-c", "ulimit -f 50; exec \"$@\"", "sh", Program.url.path, "backup", "--cluster", home.address(1),
            "--database", "app", "--to", file("app.sqlite"),
        ]
        let result = try Program(command, executable: URL(fileURLWithPath: "/bin/sh")).end()
        #expect(result.code == 1 && result.errors.contains("File too large"), "\(result.errors)")
        #expect(try files() == ["big.sqlite"])
    }

    @Test func aNodeThatEndsInTheMiddleLeavesNoFile() throws {
        let node = try HalfNode(home.address(1))
        let result = try backup("app.sqlite", "--without-leader")
        node.join()
        #expect(result.code == 1, "\(result.output)")
        #expect(result.errors.contains("no node has supplied the database app: \(home.address(1)): "))
        #expect(result.errors.contains("in the middle of a response. Try again"), "\(result.errors)")
        #expect(try files() == [])
    }

    // MARK: Restore

    @Test func aRestoredDatabaseIsEqualToTheFile() throws {
        try home.start(1)
        try writeFile("all.sqlite", Self.everything)
        let result = try restore("all.sqlite")
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.contains(" tables, "))
        let copied = try backup("copy.sqlite")
        #expect(copied.code == 0, "\(copied.errors)")
        let original = try script("all.sqlite").map { $0.replacing("DATETIME,", with: "DATETIME(1),") }
        let copy = try script("copy.sqlite")
        let difference = copy.difference(from: original)
        #expect(difference.isEmpty, "\(difference)")

        // Triggers run, full-text tables find, and keys continue.
        let cluster = try DatabaseCluster(addresses: [home.address(1)], database: "app")
        try cluster.write { db in
            try db.execute(sql: "INSERT INTO parent VALUES (9, 'nine')")
            try db.execute(sql: "INSERT INTO article(body) VALUES ('late swallow')")
            try db.execute(sql: "INSERT INTO child(parent) VALUES (9)")
        }
        let (log, found, id) = try cluster.read { db in
            (
                try String.fetchAll(db, sql: "SELECT text FROM log"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM article WHERE article MATCH 'swallow'"),
                try Int.fetchOne(db, sql: "SELECT max(id) FROM child")
            )
        }
        #expect(log == ["nine"])
        #expect(found == 2)
        #expect(id == 5001)
        try cluster.close()

        // The tickets of a backup do not prevent its restoration, and are in the new database.
        let again = try restore("copy.sqlite", into: "second")
        #expect(again.code == 0, "\(again.errors)")
        let tickets = try tickets("copy.sqlite")
        let second = try Program(
            ["backup", "--cluster", home.address(1), "--database", "second", "--to", file("second.sqlite")]).end()
        #expect(second.code == 0, "\(second.errors)")
        #expect(try self.tickets("second.sqlite").isSuperset(of: tickets))
    }

    private func tickets(_ name: String) throws -> Set<String> {
        let queue = try DatabaseQueue(path: file(name))
        return try queue.read {
            Set(try String.fetchAll($0, sql: "SELECT client || ' ' || sequence FROM rowan_client"))
        }
    }

    /// The lines of the script of a file, sorted: virtual tables come first in a restored database.
    private func script(_ name: String) throws -> [String] {
        let queue = try DatabaseQueue(path: file(name))
        let text = Text()
        try queue.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "DROP TABLE IF EXISTS rowan_client")
                try db.dumpScript(to: text)
                return .rollback
            }
        }
        return text.value.split(separator: "\n").map(String.init).sorted()
    }

    private final class Text: TextOutputStream {
        var value = ""
        func write(_ string: String) { value += string }
    }

    private static let everything = """
        PRAGMA user_version = 42;
        PRAGMA application_id = 7;
        CREATE TABLE child(
            id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER REFERENCES parent(id), at DATETIME,
            twice AS (id * 2) STORED, thrice AS (id * 3));
        CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE plain("a b", value);
        CREATE TABLE sorted(a TEXT COLLATE NOCASE, b INTEGER, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE TABLE exact(a INT, b ANY, c TEXT) STRICT;
        CREATE TABLE hidden(rowid, _rowid_, oid);
        CREATE TABLE checked(a CHECK (a > 0));
        CREATE TABLE log(text);
        CREATE VIRTUAL TABLE article USING fts5(body);
        CREATE VIRTUAL TABLE search USING fts5(body, content='');
        CREATE VIRTUAL TABLE box USING rtree(id, low, high);
        CREATE UNIQUE INDEX parentName ON parent(name);
        CREATE INDEX someChildren ON child(parent, at DESC) WHERE parent > 1;
        CREATE INDEX lowered ON sorted(lower(a));
        CREATE VIEW family AS SELECT parent.name, child.id FROM parent JOIN child ON child.parent = parent.id;
        INSERT INTO parent VALUES (1, 'one'), (2, 'it''s'), (3, NULL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO child(parent, at) SELECT 1 + i % 3, CASE WHEN i % 2 THEN '2024-02-29 12:00:00' END FROM n;
        UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'child';
        INSERT INTO plain(rowid, "a b", value) VALUES
            (-5, 1, 9e999), (7, 2, -9e999), (8, 3, 'a' || char(0) || 'b'), (9, 4, CAST(X'FF41' AS TEXT)), (100, 5, 0.1),
            (101, 6, 1e-310), (102, 7, X'00FF'), (103, 8, 'smörgås 🦅'), (104, 9, NULL), (105, 10, 9223372036854775807),
            (106, 11, char(0)), (107, 12, 'a
        b;'), (9223372036854775807, 13, zeroblob(100000));
        INSERT INTO sorted VALUES ('b', 1, 1.5), ('A', 2, X''), ('a', 1, '');
        INSERT INTO exact VALUES (1, '1', 'x'), (2, 1, NULL), (3, X'01', '');
        INSERT INTO hidden VALUES (1, 2, 3), (1, 2, 3);
        PRAGMA ignore_check_constraints = ON;
        INSERT INTO checked VALUES (-1);
        INSERT INTO article(rowid, body) VALUES (5, 'an African swallow'), (6, 'a coconut');
        INSERT INTO search(rowid, body) VALUES (1, 'laden'), (2, 'unladen');
        INSERT INTO box VALUES (1, 0.5, 2.5), (2, 1, 3);
        CREATE TRIGGER logged AFTER INSERT ON parent BEGIN INSERT INTO log VALUES (NEW.name); END;
        ANALYZE;
        """

    @Test func refusedFiles() throws {
        try home.start(1)
        try writeFile("player.sqlite", "CREATE TABLE player(id INTEGER PRIMARY KEY)")
        let missing = try restore("missing.sqlite")
        #expect(missing.code == 1 && missing.errors.contains("nothing was restored: there is no file"))
        try Data("This is not a database, but a sentence.".utf8).write(to: URL(fileURLWithPath: file("text")))
        let text = try restore("text")
        #expect(text.code == 1)
        #expect(text.errors.contains("nothing was restored: file is not a database"), "\(text.errors)")

        try writeFile("damaged.sqlite", "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(10000))")
        let handle = try #require(FileHandle(forWritingAtPath: file("damaged.sqlite")))
        try handle.seek(toOffset: 4096)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 4096))
        try handle.close()
        let damaged = try restore("damaged.sqlite")
        #expect(damaged.code == 1 && damaged.errors.contains("nothing was restored: "), "\(damaged.errors)")
        #expect(damaged.errors.contains("is damaged: use another copy"), "\(damaged.errors)")

        #expect(try restore("player.sqlite").code == 0)
        let full = try restore("player.sqlite")
        #expect(full.code == 1)
        #expect(full.errors.contains("contains player already: restore under another name"), "\(full.errors)")

        // What a cluster can't create changes nothing.
        try writeFile(
            "module.sqlite",
            """
            CREATE TABLE first(a);
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql)
            VALUES ('table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING missing');
            """)
        let module = try restore("module.sqlite", into: "other")
        #expect(module.code == 1)
        #expect(module.errors.contains("nothing was restored: no such module: missing"), "\(module.errors)")
        #expect(try restore("player.sqlite", into: "other").code == 0)
    }

    @Test func aRestorationThatFailsInTheMiddleSaysWhatToDo() throws {
        try home.start(1)
        try writeFile(
            "conflict.sqlite",
            """
            CREATE TABLE early(value);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO early SELECT randomblob(500) FROM n;
            CREATE TABLE late(id INTEGER PRIMARY KEY);
            INSERT INTO late VALUES (1);
            """)
        // Another client writes while the rows of the first table arrive.
        let cluster = try DatabaseCluster(addresses: [home.address(1)], database: "app")
        let restoration = try Program(
            ["restore", "--cluster", home.address(1), "--database", "app", "--from", file("conflict.sqlite")])
        while try !cluster.read({ try $0.tableExists("late") }) { usleep(1000) }
        try cluster.write { try $0.execute(sql: "INSERT INTO late VALUES (1)") }
        try cluster.close()
        let result = restoration.end()
        #expect(result.code == 1)
        let sentence = "the database app of the cluster is incomplete: UNIQUE constraint failed: late.id. Restore again"
        #expect(result.errors.contains(sentence), "\(result.errors)")
    }
}

/// Moves amounts between accounts, and counts its commits.
private final class Writer: Sendable {
    private let counter = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    private let failure = Mutex<(any Error)?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ cluster: DatabaseCluster) {
        Thread.detachNewThread { [self] in
            defer { end.signal() }
            do {
                while !isStopped.load(ordering: .relaxed) {
                    try cluster.write { db in
                        let accounts = (Int.random(in: 1...500), Int.random(in: 1...500))
                        try db.execute(
                            sql: "UPDATE account SET balance = balance - 1, note = randomblob(1000) WHERE id = ?",
                            arguments: [accounts.0])
                        try db.execute(
                            sql: "UPDATE account SET balance = balance + 1 WHERE id = ?", arguments: [accounts.1])
                        try db.execute(sql: "UPDATE counter SET value = value + 1")
                    }
                    counter.add(1, ordering: .relaxed)
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
    }

    /// The number of acknowledged commits.
    var count: Int { counter.load(ordering: .relaxed) }

    func stop() throws {
        isStopped.store(true, ordering: .relaxed)
        end.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// A server that ends in the middle of its first response.
private final class HalfNode: Sendable {
    private let end = DispatchSemaphore(value: 0)

    init(_ address: String) throws {
        let parts = address.split(separator: ":")
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = try #require(UInt16(parts[1])).bigEndian
        inet_pton(AF_INET, String(parts[0]), &name.sin_addr)
        let code = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(code == 0 && listen(listener, 1) == 0)
        Thread.detachNewThread { [end] in
            let connection = accept(listener, nil, nil)
            var bytes = [UInt8](repeating: 0, count: 1024)
            /// Receives requests of a known size, and sends a response.
            func answer(_ size: Int, _ response: [UInt8]) {
                var received = 0
                while received < size {
                    let count = read(connection, &bytes, bytes.count)
                    guard count > 0 else { return }
                    received += count
                }
                _ = write(connection, response, response.count)
            }
            // The version, and the question for the leader: there is none.
            answer(24, [2, 0, 0, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 16))
            // The request for the files of "app~": the head of a response with 8,000 bytes, and its first word.
            answer(16, [0xE8, 3, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0])
            close(connection)
            close(listener)
            end.signal()
        }
    }

    func join() { end.wait() }
}
