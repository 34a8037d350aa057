// Each system call on the files of a database fails once, or fails from then on: an error is thrown, and committed
// transactions are completely there.

import Foundation
import Rowan

extension Part {
    static let faults = Part(
        name: "faults", summary: "an I/O fault at each call of the system", weight: 1.5, shim: "faults"
    ) { run in
        let faults = try Faults()
        let kind = run.pick(Kind.allCases)
        run.note("\(kind) without fault")
        var session = try FaultySession(run, kind, "\(kind)-0")
        // No call has this number.
        faults.arm(.max)
        session.work(run)
        let calls = faults.calls
        run.expect(calls > 50, "\(kind): the shim has seen \(calls) calls")
        run.expect(session.errors.isEmpty, "\(kind): an error without a fault: \(session.errors)")
        run.expect(session.done.count == FaultySession.count, "\(kind): the workload is not complete")
        try session.check(run)
        guard calls > 0 else { return }
        for number in (1...calls).shuffled(using: &run.random).prefix(100) {
            if run.isOver { break }
            let error = run.pick([EIO, EIO, ENOSPC])
            let isSticky = run.chance(30)
            let name = "\(kind), call \(number) of \(calls), errno \(error)\(isSticky ? ", and all after it" : "")"
            guard run.isWanted(name) else { continue }
            session = try FaultySession(run, kind, "\(kind)-\(number)")
            session.name = name
            faults.arm(number, error: error, isSticky: isSticky)
            session.work(run)
            faults.disarm()
            run.count("calls that fail")
            run.count("errors thrown", session.errors.count)
            try session.check(run)
        }
    }
}

/// A repeated workload, which continues after each error.
private struct FaultySession {
    static let count = 6
    var name = ""
    let kind: Kind
    let path: String
    let file: URL
    /// The numbers of the transactions that returned, and of those that threw.
    var done: Set<Int> = []
    var thrown: Set<Int> = []
    var errors: [String] = []

    init(_ run: Run, _ kind: Kind, _ name: String) throws {
        self.kind = kind
        self.name = "\(kind)"
        file = run.folder.url.appendingPathComponent("\(name).faulty")
        path = file.path
    }

    private mutating func attempt(_ run: Run, _ what: String, _ body: () throws -> Void) -> Bool {
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

    mutating func work(_ run: Run) {
        var writer: (any DatabaseWriter)?
        // The fault may occur when opening, which is then repeated.
        for _ in 0..<2 where writer == nil {
            let (kind, path) = (kind, path)
            var opened: (any DatabaseWriter)?
            _ = attempt(run, "open") {
                var configuration = Configuration()
                configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 5") }
                opened = try kind.open(path, configuration)
            }
            writer = opened
        }
        guard let writer else { return }
        let table = "CREATE TABLE IF NOT EXISTS t(batch, x); CREATE INDEX IF NOT EXISTS i ON t(x)"
        if !attempt(run, "create", { try writer.write { try $0.execute(sql: table) } }) {
            _ = attempt(run, "create", { try writer.write { try $0.execute(sql: table) } })
        }
        let name = name
        for number in 0..<Self.count {
            let isDone = attempt(run, "write \(number)") {
                try writer.write { db in
                    for row in 0..<8 {
                        try db.execute(
                            sql: "INSERT INTO t VALUES (?, zeroblob(?))", arguments: [number, 700 + row * 300])
                    }
                    try db.execute(sql: "UPDATE t SET x = zeroblob(length(x) + 1) WHERE batch = ?", arguments: [number])
                }
            }
            if isDone { done.insert(number) } else { thrown.insert(number) }
            _ = attempt(run, "read") { try writer.read { _ = try $0.int("SELECT total(length(x)) FROM t") } }
            // Unless a commit failed, the connection is not in a transaction.
            _ = attempt(run, "state") {
                let isOpen = try writer.unsafeRead { $0.isInsideTransaction }
                run.expect(!isOpen, "\(name): a transaction is open after write \(number)")
            }
            if number == 3, kind != .queue {
                _ = attempt(run, "checkpoint") {
                    try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
                }
            }
        }
        // The connection is usable after the fault.
        if let faults = try? Faults() {
            faults.disarm()
            _ = checkConnection(run, writer)
        }
        _ = attempt(run, "close") { try writer.close() }
    }

    private func checkConnection(_ run: Run, _ writer: any DatabaseWriter) -> Bool {
        do {
            if !errors.isEmpty {
                try writer.write { db in
                    try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(batch, x)")
                    try db.execute(sql: "INSERT INTO t VALUES (-1, 0)")
                }
            }
            return true
        } catch {
            run.fail("\(name): the connection is of no use after \(errors): \(error)")
            return false
        }
    }

    func check(_ run: Run) throws {
        let writer = try kind.open(path)
        try writer.read { db in
            let integrity = try db.text("PRAGMA integrity_check")
            run.expect(integrity == "ok", "\(name): integrity_check: \(integrity), after \(errors)")
            guard try db.tableExists("t") else {
                run.expect(done.isEmpty, "\(name): the table is gone")
                return
            }
            for row in try Row.fetchAll(db, sql: "SELECT batch, count(*) FROM t WHERE batch >= 0 GROUP BY batch") {
                let (number, count): (Int, Int) = (row[0], row[1])
                run.expect(count == 8, "\(name): \(count) rows of transaction \(number), after \(errors)")
            }
            let found = Set(try Int.fetchAll(db, sql: "SELECT DISTINCT batch FROM t WHERE batch >= 0"))
            run.expect(done.isSubset(of: found), "\(name): \(done.subtracting(found)) are lost, after \(errors)")
            // A commit that threw may be durable, if the fault occurred after it. A write that threw before its commit
            // is not there.
            run.count("commits that threw and stayed", found.subtracting(done).count)
        }
        try writer.close()
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
