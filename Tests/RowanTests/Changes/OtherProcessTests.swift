// Other connections and processes with the same file: locks, and writers that crash.

import Foundation
import Rowan
import Testing

@Suite
struct OtherProcessTests {
    /// Another connection holds the write lock while the closure runs.
    private func whileLocked(_ path: String, _ body: (DatabaseQueue) throws -> Void) throws {
        let other = try DatabaseQueue(path: path)
        try other.inDatabase { db in
            try db.beginTransaction(.immediate)
            try body(other)
            try db.rollback()
        }
    }

    @Test(arguments: ConnectionKind.files)
    func anImmediateError(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try whileLocked(writer.path) { _ in
                let error = expectError(.SQLITE_BUSY, "database is locked") { try writer.write { try $0.insert(3) } }
                #expect(error?.sql == "BEGIN IMMEDIATE TRANSACTION")
            }
            try writer.write { try $0.insert(4) }
            try #expect(writer.values() == [1, 2, 4])
        }
    }

    @Test(arguments: ConnectionKind.files)
    func aTimeout(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(0.01)
        try withTable(kind, configuration) { writer in
            try whileLocked(writer.path) { _ in expectError(.SQLITE_BUSY) { try writer.write { try $0.insert(3) } } }
            try #expect(writer.values() == [1, 2])
        }
    }

    /// The lock is released while the connection retries.
    @Test(arguments: ConnectionKind.files)
    func aTimeoutThatIsLongEnough(_ kind: ConnectionKind) async throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        let mayUnlock = Gate()
        let tries = Log<CInt>()
        configuration.prepareDatabase { db in
            // Called after the timeout's handler.
            _ = try db.connection.openHooks().onBusy { count in
                tries.append(count)
                mayUnlock.open()
                return true
            }
        }
        try await withTable(kind, configuration) { writer in
            let isLocked = Gate()
            let path = writer.path
            async let lock: Void = onThread {
                try DatabaseQueue(path: path).inDatabase { db in
                    try db.beginTransaction(.immediate)
                    isLocked.open()
                    mayUnlock.wait()
                    try db.rollback()
                }
            }
            await isLocked.opened()
            let write = Task { try await writer.write { try $0.insert(3) } }
            let result = await write.result
            // Also after a failure, so that the lock is released.
            mayUnlock.open()
            try await lock
            try result.get()
            #expect(!tries.elements.isEmpty)
            try await #expect(writer.values() == [1, 2, 3])
        }
    }

    @Test(arguments: ConnectionKind.files)
    func aCallback(_ kind: ConnectionKind) throws {
        let tries = Log<Int>()
        var configuration = Configuration()
        configuration.busyMode = .callback { count in
            tries.append(count)
            return count < 3
        }
        try withTable(kind, configuration) { writer in
            try whileLocked(writer.path) { _ in expectError(.SQLITE_BUSY) { try writer.write { try $0.insert(3) } } }
            #expect(tries.elements == [0, 1, 2, 3])
        }
    }

    /// Opening waits no longer than the busy mode allows: the callback is called once for each lock.
    @Test(arguments: [Configuration.JournalModeConfiguration.default, .wal])
    func openingALockedFile(_ journalMode: Configuration.JournalModeConfiguration) throws {
        let tries = Log<Int>()
        var configuration = Configuration()
        configuration.journalMode = journalMode
        configuration.busyMode = .callback { count in
            tries.append(count)
            return count < 3
        }
        try withTable(.fileQueue) { writer in
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction(.exclusive)
                expectError(.SQLITE_BUSY) { try DatabaseQueue(path: writer.path, configuration: configuration) }
                try db.rollback()
            }
            #expect(tries.elements == [0, 1, 2, 3])
            try #expect(DatabaseQueue(path: writer.path, configuration: configuration).values() == [1, 2])
        }
    }

    @Test func openingAFileThatIsLockedForAMoment() async throws {
        try await withTable(.fileQueue) { writer in
            let (isLocked, mayUnlock) = (Gate(), Gate())
            let path = writer.path
            async let lock: Void = onThread {
                try DatabaseQueue(path: path).inDatabase { db in
                    try db.beginTransaction(.exclusive)
                    isLocked.open()
                    mayUnlock.wait()
                    try db.rollback()
                }
            }
            await isLocked.opened()
            let tries = Log<CInt>()
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                // The attempt fails and is repeated.
                _ = try db.connection.openHooks().onBusy { count in
                    tries.append(count)
                    mayUnlock.open()
                    return false
                }
            }
            let opening = Task { [configuration] in
                try await onThread { try DatabaseQueue(path: path, configuration: configuration) }
            }
            let result = await opening.result
            // Also after a failure, so that the lock is released.
            mayUnlock.open()
            try await lock
            let queue = try result.get()
            #expect(!tries.elements.isEmpty)
            try await #expect(queue.values() == [1, 2])
        }
    }

    @Test func aLockedReadInRollbackMode() throws {
        try withTable(.fileQueue) { writer in
            let other = try DatabaseQueue(path: writer.path)
            try other.inDatabase { db in
                try db.beginTransaction(.exclusive)
                expectError(.SQLITE_BUSY) { try writer.values() }
                try db.rollback()
            }
            try #expect(writer.values() == [1, 2])
        }
    }

    /// In WAL mode, a read can't become a write after another connection has committed.
    @Test func aBusySnapshot() throws {
        try withTable(.walQueue) { writer in
            let other = try DatabaseQueue(path: writer.path)
            expectError(.SQLITE_BUSY_SNAPSHOT) {
                try writer.writeWithoutTransaction { db in
                    try db.inTransaction(.deferred) {
                        _ = try db.values()
                        try other.write { try $0.insert(3) }
                        try db.insert(4)
                        return .commit
                    }
                }
            }
            try #expect(writer.values() == [1, 2, 3])
        }
    }

    static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/root/.pyenv/shims/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A process crashes in the middle of its transaction, with pages in the file or in the log.
    @Test(.enabled(if: python != nil), arguments: ConnectionKind.files)
    func aWriterThatIsKilled(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        try {
            let writer = try kind.make(path: path)
            try writer.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
            try writer.close()
        }()
        let script = """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute("PRAGMA cache_size = 5")
            c.execute("BEGIN IMMEDIATE")
            c.execute("UPDATE t SET x = -x")
            for i in range(5000): c.execute("INSERT INTO t VALUES (?)", (str(i) * 50,))
            sys.stdout.write("ready\\n")
            sys.stdout.flush()
            sys.stdin.read()
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.python))
        process.arguments = ["-c", script, path]
        let (output, input) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        let ready = output.fileHandleForReading.availableData
        #expect(String(decoding: ready, as: UTF8.self) == "ready\n")
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        let writer = try kind.make(path: path)
        try #expect(writer.values() == [1, 2])
        try #expect(writer.string("PRAGMA integrity_check") == "ok")
        try writer.write { try $0.insert(3) }
        try #expect(writer.values() == [1, 2, 3])
    }
}
