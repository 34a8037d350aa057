// Checkpoints by the program and after commits, on versions of SQLite with and without the WAL-reset bug.

import RowanSQLite
import Foundation
import Testing

@testable import Rowan

struct CheckpointTests {
    /// Kinds whose file is in WAL mode.
    static let logs = [ConnectionKind.walQueue, .pool, .anyWriterOfPool]

    private func walSize(_ writer: any DatabaseWriter) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: writer.path + "-wal"))?[.size] as? Int ?? 0
    }

    @Test("Each mode copies the log", arguments: logs, [Database.CheckpointMode.passive, .full, .restart, .truncate])
    func modes(kind: ConnectionKind, mode: Database.CheckpointMode) throws {
        let log = InstrumentLog(observesStatements: false)
        try withTable(kind, Configuration(log)) { writer in
            let result = try writer.writeWithoutTransaction { try $0.checkpoint(mode) }
            #expect(result.checkpointedFrameCount == result.walFrameCount)
            #expect(mode == .truncate ? walSize(writer) == 0 : result.walFrameCount > 0)
            let entry = "checkpoint \(mode) \(result.walFrameCount)/\(result.walFrameCount)"
            #expect(log.entries.elements.filter { $0.hasPrefix("checkpoint") } == [entry])
            // Reads and writes continue, also in the next log.
            try writer.write { try $0.insert(3) }
            #expect(try writer.values() == [1, 2, 3])
            #expect(try writer.string("PRAGMA integrity_check") == "ok")
        }
    }

    @Test("Commits are followed by checkpoints from 1000 pages on, or from the program's limit on", arguments: logs)
    func automatic(kind: ConnectionKind) throws {
        for pages in [1000, 10, 0] {
            let log = InstrumentLog(observesStatements: false)
            var configuration = Configuration(log)
            if pages != 1000 {
                configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = \(pages)") }
            }
            try withTable(kind, configuration) { writer in
                for _ in 0..<100 { try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(60000))") } }
                let checkpoints = log.entries.elements.filter { $0.hasPrefix("checkpoint passive") }
                #expect(pages == 0 ? checkpoints.isEmpty : checkpoints.count >= (pages == 10 ? 90 : 1))
                let frames = walSize(writer) / 4120
                #expect(pages == 0 ? frames > 1500 : frames < 1100)
            }
        }
    }

    @Test("The program chooses another size later", arguments: logs)
    func chosenLater(kind: ConnectionKind) throws {
        let log = InstrumentLog(observesStatements: false)
        try withTable(kind, Configuration(log)) { writer in
            try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 5") }
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(60000))") }
            #expect(log.entries.elements.contains { $0.hasPrefix("checkpoint passive") })
            try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
            let count = log.entries.elements.count
            for _ in 0..<80 { try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(60000))") } }
            #expect(!log.entries(since: count).contains { $0.hasPrefix("checkpoint") })
            #expect(writer.writeWithoutTransaction { $0.connection.automaticCheckpointSize } == 0)
        }
    }

    @Test("A checkpoint in a transaction is rejected, and one without a log does nothing")
    func refusals() throws {
        try withTable(.pool) { writer in
            expectError(.SQLITE_LOCKED) { try writer.write { _ = try $0.checkpoint(.full) } }
        }
        for kind in [ConnectionKind.fileQueue, .memoryQueue] {
            try withTable(kind) { writer in
                let result = try writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
                #expect(result.walFrameCount == -1)
            }
        }
    }

    @Test("A checkpoint waits for a writer or gives up, depending on the busy mode")
    func busy() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let pool = try DatabasePool(path: path)
        try await pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
        var patient = Configuration()
        patient.busyMode = .timeout(60)
        let (hasBegun, mayEnd, ended) = (Gate(), Gate(), Gate())
        startThread {
            try? pool.write { db in
                try db.insert(3)
                hasBegun.open()
                mayEnd.wait()
            }
            ended.open()
        }
        await hasBegun.opened()
        let impatient = try DatabaseQueue(path: path)
        for mode in [Database.CheckpointMode.full, .restart, .truncate] {
            expectError(.SQLITE_BUSY) { try impatient.inDatabase { _ = try $0.checkpoint(mode) } }
        }
        // On a version without the bug, SQLite copies the committed frames.
        if Database.hasWALResetBug {
            expectError(.SQLITE_BUSY) { try impatient.inDatabase { _ = try $0.checkpoint() } }
        }
        let waiting = try DatabaseQueue(path: path, configuration: patient)
        let done = Gate()
        startThread {
            let result = try? waiting.inDatabase { try $0.checkpoint(.truncate) }
            #expect(result?.walFrameCount == 0)
            done.open()
        }
        mayEnd.open()
        await ended.opened()
        await done.opened()
        #expect(try await pool.values() == [1, 2, 3])
    }

    @Test("Two connections with a shared cache in WAL mode")
    func sharedCache() throws {
        let folder = try TemporaryFolder()
        let path = "file:\(folder.path("db.sqlite"))?cache=shared"
        let first = try DatabaseQueue(path: path)
        try first.inDatabase {
            try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1)")
        }
        let second = try DatabaseQueue(path: path)
        #expect(try second.values() == [1])
        try first.close()
        try second.write { try $0.insert(2) }
        try second.inDatabase { _ = try $0.checkpoint(.truncate) }
        #expect(try second.values() == [1, 2])
    }

    @Test("Waiting for a writer commits nothing")
    func waitingWithoutCommits() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        var patient = Configuration()
        patient.busyMode = .timeout(60)
        patient.journalMode = .wal
        let observed = try DatabaseQueue(path: path, configuration: patient)
        try await observed.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
        let log = ObserverLog()
        observed.add(transactionObserver: log, extent: .databaseLifetime)
        let other = try DatabaseQueue(path: path)
        let (hasBegun, isWaiting) = (Gate(), Gate())
        let pauses = Log<CInt>()
        try await observed.writeWithoutTransaction { db in
            // Called after the timeout's handler.
            _ = try db.connection.openHooks().onBusy { count in
                pauses.append(count)
                isWaiting.open()
                return true
            }
        }
        async let write: Void = onThread {
            try other.write { db in
                try db.insert(3)
                hasBegun.open()
                isWaiting.wait()
            }
        }
        await hasBegun.opened()
        do {
            // Also without a wait, so that the writer finishes.
            defer { isWaiting.open() }
            try observed.inDatabase { _ = try $0.checkpoint(.full) }
        }
        try await write
        #expect(pauses.elements.first == 0)
        #expect(log.take() == [])
    }

    @Test("A database with exclusive locks, and an attached database")
    func exclusiveAndAttached() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.journalMode = .wal
        let other = folder.path("other.sqlite")
        try DatabasePool(path: other).write { try $0.execute(sql: "CREATE TABLE o(x)") }
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
        try queue.inDatabase { db in
            try db.execute(sql: "ATTACH ? AS other", arguments: [other])
            try db.execute(sql: "INSERT INTO other.o VALUES (1)")
            #expect(try db.checkpoint(.truncate, on: nil).walFrameCount == 0)
            try db.execute(sql: "INSERT INTO other.o VALUES (2)")
            #expect(try db.checkpoint(.full, on: "other").checkpointedFrameCount > 0)
            try db.execute(sql: "DETACH other; PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE t(x)")
            #expect(try db.checkpoint(.truncate).walFrameCount == 0)
        }
    }
}
