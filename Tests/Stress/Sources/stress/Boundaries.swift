// Interruption and suspension between any two statements, with and without an open cursor: transactions are all or
// nothing, a failed savepoint leaves nothing, no lock remains, and the connection continues to work.

import Foundation
import Rowan

extension Part {
    static let boundaries = Part(
        name: "boundaries", summary: "interruption and suspension at every statement boundary"
    ) { run in
        for kind in Kind.allCases {
            for event in Event.allCases {
                for flags in 0..<8 { try session(run, kind, event, flags) }
            }
        }
    }
}

private func session(_ run: Run, _ kind: Kind, _ event: Event, _ flags: Int) throws {
    let (hasCursor, catches, failsItself) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
    let words = [hasCursor ? "cursor" : nil, catches ? "caught" : nil, failsItself ? "own error" : nil]
    let name = (["\(kind)", "\(event)"] + words.compactMap(\.self)).joined(separator: " ")
    for boundary in 0...Session.statementCount where run.isWanted("\(name) \(boundary)") {
        var session = Session(name: "\(name), before statement \(boundary)")
        (session.event, session.boundary) = (event, boundary)
        (session.hasCursor, session.catches, session.failsItself) = (hasCursor, catches, failsItself)
        try session.run(run, kind)
    }
}

private struct Failure: Error {}

private enum Event: CaseIterable { case interrupt, suspend }

private struct Session {
    static let statementCount = 8
    let name: String
    var event = Event.interrupt
    var boundary = 0
    /// Whether a cursor has unread rows at the event.
    var hasCursor = false
    /// Whether the program then throws its own error, before SQLite throws at the next statement.
    var failsItself = false
    /// Whether the program continues after an error, as with `try?`.
    var catches = false

    func run(_ run: Run, _ kind: Kind) throws {
        run.count("boundaries")
        let path = run.folder.path("\(UUID().uuidString).sqlite")
        var configuration = Configuration()
        configuration.observesSuspensionNotifications = true
        let writer = try kind.open(path, configuration)
        defer { resume() }
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE many(x)")
            try db.execute(sql: "INSERT INTO t VALUES (0)")
            for number in 0..<20 { try db.execute(sql: "INSERT INTO many VALUES (?)", arguments: [number]) }
        }
        var error: (any Error)?
        do { try transaction(writer) } catch let thrown { error = thrown }
        resume()
        if let error { run.expect(isExpected(error), "\(name): \(error)") }
        let isOpen = try writer.isInTransaction()
        run.expect(!isOpen, "\(name): a transaction is open afterwards")
        let rows = Set(try writer.read { try Int.fetchAll($0, sql: "SELECT x FROM t") })
        run.expect(rows.contains(0), "\(name): a row of before is gone")
        if error != nil {
            run.expect(rows == [0], "\(name): after \(error!), rows are left: \(rows.sorted())")
        } else if !catches {
            run.expect(rows == Self.all, "\(name): the transaction succeeds with the rows \(rows.sorted())")
        }
        // Savepoints are all or nothing, wherever their errors are caught.
        for savepoint in [[100, 101], [200, 201]] {
            let found = rows.intersection(savepoint)
            run.expect(
                found.isEmpty || found.count == savepoint.count,
                "\(name): a part of a savepoint is committed: \(rows.sorted())")
        }
        try checkLocks(run, writer, path)
        try writer.close()
    }

    private static let all: Set<Int> = [0, 1, 2, 100, 101, 200, 201, 3, 4]

    /// Eight writing statements: two, two savepoints, two; with the event before one of them or after all.
    private func transaction(_ writer: any DatabaseWriter) throws {
        var number = 0
        var cursor: RowCursor?
        func insert(_ db: Database, _ value: Int) throws {
            defer { number += 1 }
            if number == boundary {
                if hasCursor {
                    cursor = try Row.fetchCursor(db, sql: "SELECT x FROM many")
                    _ = try cursor?.next()
                }
                happen(writer)
                if failsItself { throw Failure() }
            }
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
        }
        func savepoint(_ db: Database, _ values: [Int]) throws {
            try db.inSavepoint {
                for value in values { try insert(db, value) }
                return .commit
            }
        }
        try writer.write { db in
            for value in [1, 2] { try attempt { try insert(db, value) } }
            for values in [[100, 101], [200, 201]] {
                try attempt { try savepoint(db, values) }
                // Without a running statement, SQLite clears the interruption, so later statements succeed.
                if failsItself { cursor = nil }
            }
            for value in [3, 4] { try attempt { try insert(db, value) } }
            if number <= boundary { happen(writer) }
            // The cursor continues if it can.
            if let cursor { try attempt { while try cursor.next() != nil {} } }
        }
    }

    private func attempt(_ body: () throws -> Void) throws {
        do { try body() } catch { if !catches { throw error } }
    }

    private func happen(_ writer: any DatabaseWriter) {
        switch event {
        case .interrupt: writer.interrupt()
        case .suspend: NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        }
    }

    private func resume() {
        if event == .suspend { NotificationCenter.default.post(name: Database.resumeNotification, object: nil) }
    }

    private func isExpected(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return failsItself && error is Failure }
        return [.SQLITE_INTERRUPT, .SQLITE_ABORT].contains(error.resultCode)
    }

    /// Another connection can write immediately, and so can this one.
    private func checkLocks(_ run: Run, _ writer: any DatabaseWriter, _ path: String) throws {
        do { try DatabaseQueue(path: path).write { try $0.execute(sql: "INSERT INTO many VALUES (-1)") } } catch {
            run.fail("\(name): another connection: \(error)")
        }
        do { try writer.write { try $0.execute(sql: "INSERT INTO many VALUES (-2)") } } catch {
            run.fail("\(name): the connection afterwards: \(error)")
        }
        // During the suspension, no locks are held, and a write leaves none.
        guard event == .suspend else { return }
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        do {
            try writer.write { try $0.execute(sql: "INSERT INTO many VALUES (-3)") }
            run.fail("\(name): a suspended connection writes")
        } catch let error { run.expect(isExpected(error), "\(name): a suspended write throws \(error)") }
        do { try DatabaseQueue(path: path).write { try $0.execute(sql: "INSERT INTO many VALUES (-4)") } } catch {
            run.fail("\(name): a suspended connection keeps a lock: \(error)")
        }
        resume()
        do { try writer.write { try $0.execute(sql: "INSERT INTO many VALUES (-5)") } } catch {
            run.fail("\(name): the connection after it has resumed: \(error)")
        }
    }
}
