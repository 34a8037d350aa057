// Each of SQLite's allocations fails once, or fails from then on, with and without observers: an error is thrown, no
// transaction is partially there, none that returned is lost, and the connection works once there is memory again.

import Foundation
import Rowan

extension Part {
    static let outOfMemory = Part(
        name: "out-of-memory", summary: "each allocation of SQLite fails", weight: 1.5, shim: "allocations"
    ) { run in
        let allocations = try Allocations()
        let isObserved = run.chance(70)
        let kind = run.pick([Kind.queue, .pool])
        let title = "\(kind)\(isObserved ? ", observed" : "")"
        run.note("\(title), without fault")
        let first = try MemorySession(run, kind, isObserved, "\(kind)-0")
        // No allocation has this number.
        allocations.arm(.max)
        first.work(run)
        let calls = allocations.calls
        allocations.disarm()
        run.expect(calls > 100, "\(title): the shim has seen \(calls) allocations")
        run.expect(first.done.count == MemorySession.count, "\(title): the workload is not complete: \(first.errors)")
        try first.check(run)
        guard calls > 0 else { return }
        for number in (1...calls).shuffled(using: &run.random).prefix(400) {
            if run.isOver { break }
            let isSticky = run.chance(30)
            let name = "\(title), allocation \(number) of \(calls)\(isSticky ? ", and all after it" : "")"
            guard run.isWanted(name) else { continue }
            let session = try MemorySession(run, kind, isObserved, "\(kind)-\(number)")
            session.name = name
            allocations.arm(number, isSticky: isSticky)
            session.work(run)
            allocations.disarm()
            run.didCase()
            run.count("allocations that fail")
            run.count("errors thrown", session.errors.count)
            try session.check(run)
        }
    }
}

/// The shim that makes SQLite's allocations fail.
private struct Allocations {
    private let armFunction: @convention(c) (CLong, CInt) -> Void
    private let callsFunction: @convention(c) () -> CLong

    init() throws {
        armFunction = try Shims.symbol("stress_allocations_arm", as: (@convention(c) (CLong, CInt) -> Void).self)
        callsFunction = try Shims.symbol("stress_allocations_calls", as: (@convention(c) () -> CLong).self)
    }

    func arm(_ number: Int, isSticky: Bool = false) { armFunction(number, isSticky ? 1 : 0) }
    func disarm() { arm(0) }
    var calls: Int { callsFunction() }
}

/// An observer for which SQLite reports each row.
private final class RowCounter: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

/// A workload whose statements are compiled while the fault is armed; it continues after each error.
private final class MemorySession {
    static let count = 4
    var name: String
    let writer: any DatabaseWriter
    let path: String
    /// The numbers of the transactions that returned.
    var done: Set<Int> = []
    var errors: [String] = []
    private let observer = RowCounter()
    private var cancellable: AnyDatabaseCancellable?

    init(_ run: Run, _ kind: Kind, _ isObserved: Bool, _ name: String) throws {
        self.name = name
        path = run.folder.path("\(name).sqlite")
        writer = try kind.open(path)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, batch, x UNIQUE ON CONFLICT REPLACE);
                    CREATE TABLE log(batch, x PRIMARY KEY) WITHOUT ROWID;
                    CREATE TRIGGER copy AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.batch, new.id); END;
                    """)
        }
        guard isObserved else { return }
        writer.add(transactionObserver: observer)
        cancellable = DatabaseRegionObservation(tracking: Table("log")).start(in: writer) { _ in
        } onChange: { _ in
        }
    }

    private func attempt(_ run: Run, _ what: String, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch let error as DatabaseError {
            errors.append("\(what): \(error)")
        } catch {
            run.fail("\(name): \(what) throws what is no DatabaseError: \(error)")
        }
        return false
    }

    func work(_ run: Run) {
        for number in 0..<Self.count {
            let isDone = attempt(run, "write \(number)") {
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO t(batch, x) VALUES (\(number), 'a\(number)')")
                    try db.inSavepoint {
                        try db.execute(
                            sql: "INSERT INTO t(batch, x) VALUES (\(number), 'b\(number)'), (\(number), 'c')")
                        return .commit
                    }
                    try db.execute(sql: "UPDATE t SET batch = batch + 0 WHERE x = 'a\(number)'")
                    try db.execute(sql: "INSERT INTO t(batch, x) VALUES (?, ?)", arguments: [number, "d\(number)"])
                    try db.execute(sql: "UPDATE t SET x = 'c\(number)' WHERE x = 'c'")
                }
            }
            if isDone { done.insert(number) }
            _ = attempt(run, "read") { try writer.read { _ = try $0.int("SELECT count(*) FROM t") } }
        }
    }

    func check(_ run: Run) throws {
        // With memory available again, the connection isn't in a transaction of an earlier access.
        do {
            try writer.write { db in
                run.expect(db.isInsideTransaction, "\(name): a write has no transaction")
                try db.execute(sql: "INSERT INTO log VALUES (-1, -1)")
                try db.execute(sql: "DELETE FROM log WHERE batch = -1")
            }
        } catch {
            run.fail("\(name): the connection is of no use after \(errors): \(error)")
        }
        try writer.read { db in
            for table in ["t", "log"] {
                let sql = "SELECT batch, count(*) FROM \(table) WHERE batch >= 0 GROUP BY batch"
                let rows = try Row.fetchAll(db, sql: sql).map { ($0[0] as Int, $0[1] as Int) }
                for (number, count) in rows {
                    run.expect(
                        count == 4, "\(name): \(count) rows of transaction \(number) in \(table), after \(errors)")
                }
                let lost = done.subtracting(rows.map(\.0))
                run.expect(lost.isEmpty, "\(name): transactions \(lost) are lost in \(table), after \(errors)")
            }
            let integrity = try db.text("PRAGMA integrity_check")
            run.expect(integrity == "ok", "\(name): integrity_check: \(integrity), after \(errors)")
        }
        cancellable?.cancel()
        writer.remove(transactionObserver: observer)
        try writer.close()
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
