// Instruments: their events for accesses, statements and transactions.

import RowanSQLite
import Foundation
import Synchronization
import Testing

@testable import Rowan

struct InstrumentTests {
    @Test("An access, its statements and its transaction", arguments: ConnectionKind.allCases)
    func access(kind: ConnectionKind) throws {
        let log = InstrumentLog()
        try withTable(kind, Configuration(log)) { writer in
            let opening = log.entries.elements.first
            let mode = kind == .memoryQueue ? "memory" : kind.isConcurrent || kind == .walQueue ? "wal" : "delete"
            #expect(opening == "opened \(kind.isConcurrent ? "pool" : "queue") \(mode)")
            let write = try log.hearing { try writer.write { try $0.insert(3) } }
            #expect(
                write == [
                    "write of -", "begun", "BEGIN: 0 rows", "INSERT t: 0 rows", "COMMIT: 0 rows", "committed", "ended",
                ])
            let read = try log.hearing { _ = try writer.values() }
            #expect(
                read == [
                    "read of -", "begun", "BEGIN: 0 rows", "SELECT t: 3 rows", "COMMIT: 0 rows", "committed", "ended",
                ])
            let plain = try log.hearing { try writer.writeWithoutTransaction { try $0.insert(4) } }
            #expect(plain == ["write of -", "begun", "INSERT t: 0 rows", "ended"])
            let unsafe = try log.hearing { _ = try writer.unsafeRead { try $0.values() } }
            #expect(unsafe == ["read of -", "begun", "SELECT t: 4 rows", "ended"])
        }
    }

    @Test("Errors of statements and accesses", arguments: ConnectionKind.allCases)
    func errors(kind: ConnectionKind) throws {
        let log = InstrumentLog()
        try withTable(kind, Configuration(log)) { writer in
            try writer.write { try $0.execute(sql: "CREATE UNIQUE INDEX i ON t(x)") }
            let failure = log.hearing {
                expectError(.SQLITE_CONSTRAINT) { try writer.write { try $0.insert(1) } }
            }
            #expect(
                failure == [
                    "write of -", "begun", "BEGIN: 0 rows", "INSERT t: 0 rows 19", "ROLLBACK: 0 rows", "rolled back",
                    "ended: 19",
                ])
            let refusal = log.hearing { expectRefusal { try writer.read { _ in throw Refusal() } } }
            #expect(refusal.last == "ended: Refusal()")
            try writer.close()
            let closed = log.hearing { expectError(.SQLITE_MISUSE) { _ = try writer.values() } }
            #expect(closed == ["read of -", "never begun: 21"])
        }
    }

    @Test("Asynchronous accesses with the caller's task-local values", arguments: ConnectionKind.allCases)
    func asynchronous(kind: ConnectionKind) async throws {
        let log = InstrumentLog()
        try await withTable(kind, Configuration(log)) { writer in
            let count = log.entries.elements.count
            try await InstrumentLog.$caller.withValue("me") {
                try await writer.write { try $0.insert(3) }
                _ = try await writer.values()
            }
            let entries = log.entries(since: count).filter { !$0.contains("rows") }
            #expect(
                entries == [
                    "write of me", "begun", "committed", "ended", "read of me", "begun", "committed", "ended",
                ])
            // Accesses with callbacks.
            let ended = Gate()
            InstrumentLog.$caller.withValue("callback") { writer.asyncRead { _ in ended.open() } }
            await ended.opened()
            await eventually { log.entries.elements.last == "ended" }
            #expect(log.entries.elements.contains("read of callback"))
        }
    }

    @Test("A cancelled access ends once", arguments: ConnectionKind.allCases)
    func cancelled(kind: ConnectionKind) async throws {
        let log = InstrumentLog()
        try await withTable(kind, Configuration(log)) { writer in
            let count = log.entries.elements.count
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await writer.write { try $0.insert(3) }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(log.entries(since: count) == ["write of -", "never begun: CancellationError()"])
        }
    }

    @Test("Writes of a group have their own statements", arguments: [ConnectionKind.fileQueue, .pool])
    func groups(kind: ConnectionKind) async throws {
        let log = InstrumentLog()
        var configuration = Configuration(log)
        configuration.groupsAsyncWrites = true
        try await withTable(kind, configuration) { writer in
            let count = log.entries.elements.count
            try await InstrumentLog.$caller.withValue("first") { try await writer.write { try $0.insert(3) } }
            let entries = log.entries(since: count)
            #expect(
                entries == [
                    "write of first", "begun", "SAVEPOINT: 0 rows", "INSERT t: 0 rows", "RELEASE: 0 rows", "committed",
                    "ended",
                ])
            let second = log.entries.elements.count
            await #expect(throws: Refusal.self) { try await writer.write { _ in throw Refusal() } }
            #expect(
                log.entries(since: second) == [
                    "write of -", "begun", "SAVEPOINT: 0 rows", "ROLLBACK TO: 0 rows", "RELEASE: 0 rows", "rolled back",
                    "ended: Refusal()",
                ])
            #expect(try await writer.values() == [1, 2, 3])
            // A write that ends the shared transaction itself.
            let third = log.entries.elements.count
            await #expect(throws: DatabaseError.self) { try await writer.write { try $0.execute(sql: "ROLLBACK") } }
            #expect(log.entries(since: third).filter { $0 == "rolled back" || $0 == "committed" }.count == 1)
        }
    }

    @Test("Nothing is measured unless it is requested")
    func indifference() throws {
        let log = InstrumentLog { $0.kind == .write }
        try withTable(.pool, Configuration(log)) { writer in
            let heard = try log.hearing { _ = try writer.values() }
            #expect(heard == [])
        }
        let accesses = InstrumentLog(observesStatements: false)
        try withTable(.pool, Configuration(accesses)) { writer in
            let heard = try accesses.hearing { _ = try writer.values() }
            #expect(heard == ["read of -", "begun", "ended"])
            try writer.write { #expect(!$0.connection.isWatched || $0.connection.watchesStatements) }
        }
    }

    @Test("Cursors that end early and cursors that stay open")
    func cursors() throws {
        let log = InstrumentLog()
        try withTable(.fileQueue, Configuration(log)) { writer in
            try writer.unsafeRead { db in
                let early = try log.hearing {
                    let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                    _ = try cursor.next()
                }
                #expect(early == ["SELECT t: 1 rows"])
                let twice = try log.hearing {
                    let outer = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                    while let x = try outer.next() { _ = try Int.fetchOne(db, sql: "SELECT \(x)") }
                }
                #expect(twice == ["SELECT: 1 rows", "SELECT: 1 rows", "SELECT t: 2 rows"])
            }
            var kept: RowCursor?
            let open = try log.hearing {
                try writer.unsafeRead { db in
                    kept = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                    _ = try kept?.next()
                }
            }
            #expect(open == ["read of -", "begun", "SELECT t: 1 rows", "ended"])
            kept = nil
        }
    }

    @Test("Arguments appear only if they are public", arguments: [false, true])
    func arguments(isPublic: Bool) throws {
        let log = InstrumentLog()
        var configuration = Configuration(log)
        configuration.publicStatementArguments = isPublic
        try withTable(.memoryQueue, configuration) { writer in
            _ = try writer.read { try Int.fetchOne($0, sql: "SELECT x FROM t WHERE x = ?", arguments: [2]) }
        }
        let statement = try #require(log.statements.elements.first { $0.operation == "SELECT" })
        #expect(statement.sql == "SELECT x FROM t WHERE x = ?")
        #expect(statement.expandedSQL == (isPublic ? "SELECT x FROM t WHERE x = 2" : nil))
        #expect(statement.profile.reads.map(\.key.name) == ["t"])
        #expect(statement.duration > .zero)
    }

    /// Uses the database in all its callbacks, which is forbidden.
    private final class Misbehaving: DatabaseInstrument, AccessInstrument {
        let database = Mutex<(any DatabaseWriter)?>(nil)
        let results = Log<String>()

        private func misbehave(_ name: String) {
            guard let database = database.withLock({ $0 }) else { return }
            do {
                try database.write { try $0.insert(9) }
                results.append("\(name) ok")
            } catch {
                results.append("\(name) \((error as? DatabaseError)?.resultCode.rawValue ?? -1)")
            }
        }

        func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? {
            misbehave("will")
            return self
        }
        func didBegin(after wait: Duration) { misbehave("begin") }
        func didRun(_ statement: InstrumentedStatement) { misbehave("run") }
        func didEndTransaction(_ transaction: InstrumentedTransaction) { misbehave("transaction") }
        func didEnd(after duration: Duration?, error: (any Error)?) { misbehave("end") }
    }

    @Test("An instrument that uses the database gets errors and stops nothing", arguments: ConnectionKind.allCases)
    func misbehaving(kind: ConnectionKind) throws {
        let instrument = Misbehaving()
        try withTable(kind, Configuration(instrument)) { writer in
            instrument.database.withLock { $0 = writer }
            try writer.write { try $0.insert(3) }
            instrument.database.withLock { $0 = nil }
            // Within an access, the instrument's own accesses are rejected; before and after, they are allowed but not
            // reported.
            let results = Set(instrument.results.elements)
            #expect(results.isSuperset(of: ["will ok", "begin 21", "run 21", "transaction 21", "end ok"]))
            #expect(results.isDisjoint(with: ["begin ok", "run ok", "transaction ok"]))
            #expect(try writer.values().contains(3))
        }
    }

    @Test("Instruments don't affect a program that ends its transaction through the C API", arguments: [false, true])
    func transactionsThroughC(isMeasured: Bool) throws {
        var configuration = Configuration()
        if isMeasured { configuration.instruments = [InstrumentLog()] }
        try withTable(.memoryQueue, configuration) { writer in
            // The write finds no transaction to end.
            expectError(.SQLITE_ERROR) {
                try writer.write { db in
                    #expect(sqlite3_exec(db.sqliteConnection, "COMMIT", nil, nil, nil) == SQLITE_OK)
                    try db.insert(3)
                    try db.insert(4)
                }
            }
            let values = try writer.values()
            #expect(values == [1, 2, 3, 4])
        }
    }

    @Test("A concurrent read is a read")
    func concurrentRead() throws {
        let log = InstrumentLog()
        try withTable(.pool, Configuration(log)) { writer in
            let ended = Gate()
            let heard = log.hearing {
                writer.writeWithoutTransaction { _ in
                    writer.spawnConcurrentRead { result in
                        _ = try? result.get().values()
                        ended.open()
                    }
                }
                ended.wait()
            }
            #expect(heard.prefix(3) == ["write of -", "begun", "read of -"])
            #expect(heard.filter { $0.hasPrefix("SELECT") }.count <= 1)
        }
    }

    @Test("Several instruments and snapshots")
    func several() throws {
        let (first, second) = (InstrumentLog(), InstrumentLog(observesStatements: false))
        try withTable(.pool, Configuration(first, second)) { writer in
            let pool = try #require(writer as? DatabasePool)
            let snapshot = try pool.makeSnapshot()
            let heard = try first.hearing { _ = try snapshot.values() }
            #expect(heard == ["read of -", "begun", "SELECT t: 2 rows", "ended"])
            #expect(second.entries.elements.suffix(3) == ["read of -", "begun", "ended"])
            let snapshots = try pool.makeSnapshotPool()
            let pooled = try first.hearing { _ = try snapshots.values() }
            #expect(pooled == ["read of -", "begun", "SELECT t: 2 rows", "ended"])
        }
    }

    @Test("Long reads") func longReads() async throws {
        let log = InstrumentLog(longReadAge: .zero, observesStatements: false)
        try await withPool({ $0.instruments = [log] }) { pool in
            let held = await HeldRead(pool)
            try await pool.write { try $0.insert(3) }
            await eventually { log.entries.elements.contains("long read of a pool") }
            await held.end()
        }
    }

    @Test("A commit by another connection is reported once", arguments: ConnectionKind.files)
    func otherWriter(kind: ConnectionKind) throws {
        let log = InstrumentLog(observesStatements: false)
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, Configuration(log))
        for value in 0..<3 { try writer.write { try $0.execute(sql: "CREATE TABLE t\(value)(x)") } }
        try writer.write { _ in }
        #expect(!log.entries.elements.contains("other writer"))
        let other = try kind.make(in: folder)
        for value in 3..<5 {
            try other.write { try $0.execute(sql: "CREATE TABLE t\(value)(x)") }
            try writer.write { try $0.execute(sql: "INSERT INTO t0 VALUES (1)") }
        }
        #expect(log.entries.elements.filter { $0 == "other writer" }.count == 1)
    }
}
