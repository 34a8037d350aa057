// Tasks are cancelled at any time, while each SQLite step is delayed: each access finishes, a cancelled write leaves
// nothing, and the connection is usable afterwards.

import Foundation
import Rowan

extension Part {
    static let cancellation = Part(
        name: "cancellation", summary: "tasks cancelled at any time, between a check and its step too", weight: 1.2,
        shim: "slowstep"
    ) { run in
        let delay = try Shims.symbol("stress_slowstep_set", as: (@convention(c) (CLong) -> Void).self)
        for kind in Kind.allCases {
            let writer = try kind.open(run.folder.path("\(kind).sqlite"))
            try await writer.write { try $0.execute(sql: "CREATE TABLE t(batch, x)") }
            delay(CLong(run.pick([0, 200, 2_000])))
            defer { delay(0) }
            run.note("\(kind): writes")
            try await cancelWrites(run, writer, "\(kind)")
            run.note("\(kind): endless statements")
            try await cancelEndless(run, writer, "\(kind)")
            delay(0)
            run.note("\(kind): waiting for a lock")
            try await cancelWaiting(run, kind)
        }
    }
}

/// Writes of two batches of rows, cancelled after a random time: all or nothing, and all if the write returned.
private func cancelWrites(_ run: Run, _ writer: any DatabaseWriter, _ what: String) async throws {
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<12 {
        let pause = UInt32(run.number(0...4_000))
        let task = Task {
            try await writer.write { db in
                for row in 0..<5 { try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [number, row]) }
            }
        }
        if run.chance(70) {
            Thread.detachNewThread {
                usleep(pause)
                task.cancel()
            }
        }
        tasks.append(task)
    }
    for (number, task) in tasks.enumerated() {
        run.count("tasks")
        let result = await task.result
        let rows = try await writer.read { try $0.int("SELECT count(*) FROM t WHERE batch = \(number)") }
        switch result {
        case .success: run.expect(rows == 5, "\(what): a write has returned, and stored \(rows) rows of 5")
        case .failure(let error):
            run.count("cancelled writes")
            run.expect(rows == 0, "\(what): a write has thrown \(error), and stored \(rows) rows")
            run.expect(error is CancellationError, "\(what): a cancelled write has thrown \(error)")
        }
    }
    let isOpen = try await writer.writeWithoutTransaction { db throws in db.isInsideTransaction }
    run.expect(!isOpen, "\(what): a transaction is open")
    try await writer.write { try $0.execute(sql: "DELETE FROM t") }
}

/// An endless statement that only its cancellation stops. If a cancellation is lost, the statement never finishes.
private func cancelEndless(_ run: Run, _ writer: any DatabaseWriter, _ what: String) async throws {
    let sql = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    for isWrite in [false, true] {
        for _ in 0..<8 {
            let pause = UInt32(run.number(0...3_000))
            let isEnded = Locked(false)
            let isLost = Locked(false)
            let task = Task<Void, any Error> {
                defer { isEnded.with { $0 = true } }
                if isWrite {
                    try await writer.write { db in
                        try db.execute(sql: "INSERT INTO t VALUES (-1, 0)")
                        _ = try Int.fetchOne(db, sql: sql)
                    }
                } else {
                    _ = try await writer.read { try Int.fetchOne($0, sql: sql) }
                }
            }
            Thread.detachNewThread {
                usleep(pause)
                task.cancel()
                let end = Date(timeIntervalSinceNow: 5)
                while !isEnded.current, Date() < end { usleep(1_000) }
                guard !isEnded.current else { return }
                isLost.with { $0 = true }
                while !isEnded.current {
                    writer.interrupt()
                    usleep(1_000)
                }
            }
            let result = await task.result
            run.count("tasks")
            run.expect(!isLost.current, "\(what): the cancellation of a \(isWrite ? "write" : "read") is lost")
            if case .success = result { run.fail("\(what): a statement without end has ended") }
            if case .failure(let error) = result, !isLost.current {
                run.expect(error is CancellationError, "\(what): a cancelled access has thrown \(error)")
            }
        }
    }
    let rows = try await writer.read { try $0.int("SELECT count(*) FROM t WHERE batch = -1") }
    run.expect(rows == 0, "\(what): \(rows) rows of cancelled writes")
}

/// A cancelled access that waits for another connection's lock finishes long before its timeout.
private func cancelWaiting(_ run: Run, _ kind: Kind) async throws {
    let path = run.folder.path("lock-\(kind).sqlite")
    var configuration = Configuration()
    configuration.busyMode = .timeout(8)
    let writer = try kind.open(path, configuration)
    try await writer.write { try $0.execute(sql: "CREATE TABLE t(x)") }
    let other = try DatabaseQueue(path: path)
    var waited = 0.0
    let begun = DispatchSemaphore(value: 0)
    try other.inDatabase { db in
        try db.beginTransaction(.immediate)
        let ended = DispatchSemaphore(value: 0)
        let failure = Locked<(any Error)?>(nil)
        let task = Task {
            begun.signal()
            do { try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } } catch {
                failure.with { $0 = error }
            }
            ended.signal()
        }
        begun.wait()
        usleep(UInt32(run.number(0...30_000)))
        let start = Date()
        task.cancel()
        ended.wait()
        waited = Date().timeIntervalSince(start)
        try db.rollback()
        run.expect(
            failure.current is CancellationError, "\(kind): a wait that is cancelled throws \(failure.current as Any)")
    }
    run.count("tasks")
    run.expect(waited < 3, "\(kind): a cancelled access waits for a lock for \(waited) s more")
    let rows = try await writer.read { try $0.int("SELECT count(*) FROM t") }
    run.expect(rows == 0, "\(kind): a cancelled write is stored")
}
