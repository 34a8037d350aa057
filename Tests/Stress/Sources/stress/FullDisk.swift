// A full disk, simulated by `max_page_count`: the write throws SQLITE_FULL and leaves nothing, and the connection
// continues to work.

import Foundation
import Rowan

extension Part {
    static let fullDisk = Part(name: "full-disk", summary: "SQLITE_FULL at any page of a write", weight: 0.5) { run in
        for kind in Kind.allCases {
            for margin in 0..<run.number(2...12) {
                run.note("\(kind), \(margin) pages")
                try fill(run, kind, margin)
            }
        }
    }
}

private func fill(_ run: Run, _ kind: Kind, _ margin: Int) throws {
    let writer = try kind.open(run.folder.path("full-\(kind)-\(margin).sqlite"))
    try writer.write { db in
        try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x)")
        try insert(db, run.number(1...50))
    }
    let before = try state(writer)
    try writer.writeWithoutTransaction { db in
        _ = try db.int("PRAGMA max_page_count = \(db.int("PRAGMA page_count") + margin)")
    }
    // A savepoint whose error is caught, then a write that is too large for any margin.
    do {
        try writer.write { db in
            try db.execute(sql: "INSERT INTO t(x) VALUES (zeroblob(10))")
            do {
                try db.inSavepoint {
                    try insert(db, 200)
                    return .commit
                }
                run.fail("\(kind), \(margin) pages: a savepoint succeeds on a full disk")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL { run.count("full disks") }
            try insert(db, 200)
        }
        run.fail("\(kind), \(margin) pages: a write succeeds on a full disk")
    } catch let error as DatabaseError {
        // SQLite may end the transaction by itself, which later statements report.
        run.expect(
            [.SQLITE_FULL, .SQLITE_ABORT].contains(error.resultCode), "\(kind), \(margin) pages: \(error)")
    }
    let isOpen = try writer.isInTransaction()
    run.expect(!isOpen, "\(kind), \(margin) pages: a transaction is open")
    run.expect(try state(writer) == before, "\(kind), \(margin) pages: rows have changed")
    // The connection continues to work once there is space.
    try writer.writeWithoutTransaction { _ = try $0.int("PRAGMA max_page_count = 1000000") }
    try writer.write { try insert($0, 200) }
    let after = try state(writer)
    run.expect(after.count == before.count + 200 && after.integrity == "ok", "\(kind), \(margin) pages: \(after)")
    try writer.close()
}

private func insert(_ db: Database, _ count: Int) throws {
    for number in 0..<count {
        try db.execute(sql: "INSERT INTO t(x) VALUES (zeroblob(?))", arguments: [500 + number % 7 * 300])
    }
}

private struct State: Equatable {
    var count: Int
    var sum: Int
    var integrity: String
}

private func state(_ writer: any DatabaseWriter) throws -> State {
    try writer.read { db in
        State(
            count: try db.int("SELECT count(*) FROM t"), sum: try db.int("SELECT ifnull(sum(length(x)), 0) FROM t"),
            integrity: try db.text("PRAGMA integrity_check"))
    }
}
