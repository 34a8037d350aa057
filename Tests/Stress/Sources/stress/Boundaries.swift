// Interruption and suspension between any two statements, with a live cursor and without: a transaction is whole or
// not at all, a savepoint that fails leaves nothing, no lock stays, and the connection goes on.

import Foundation
import Rowan

extension Part {
    static let boundaries = Part(
        name: "boundaries", summary: "interruption and suspension at every statement boundary"
    ) { run in
        for kind in Kind.allCases {
            for event in Event.allCases {
                for hasCursor in [false, true] {
                    for catches in [false, true] {
                        let name = "\(kind) \(event)\(hasCursor ? " cursor" : "")\(catches ? " caught" : "")"
                        for boundary in 0...Session.statementCount where run.isWanted("\(name) \(boundary)") {
                            var session = Session(name: "\(name), before statement \(boundary)")
                            (session.event, session.boundary) = (event, boundary)
                            (session.hasCursor, session.catches) = (hasCursor, catches)
                            try session.run(run, kind)
                        }
                    }
                }
            }
        }
    }
}

private enum Event: CaseIterable { case interrupt, suspend }

private struct Session {
    static let statementCount = 9
    let name: String
    var event = Event.interrupt
    var boundary = 0
    /// Whether a cursor has rows left when it happens.
    var hasCursor = false
    /// Whether the program goes on after an error, as with `try?`.
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
        // Savepoints are whole, whoever catches their errors.
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

    /// Nine statements that write: two, two savepoints, two; with the event before one of them, or after all.
    private func transaction(_ writer: any DatabaseWriter) throws {
        var number = 0
        var cursor: RowCursor?
        func insert(_ db: Database, _ value: Int) throws {
            if number == boundary {
                if hasCursor {
                    cursor = try Row.fetchCursor(db, sql: "SELECT x FROM many")
                    _ = try cursor?.next()
                }
                happen(writer)
            }
            number += 1
            try attempt { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value]) }
        }
        func savepoint(_ db: Database, _ values: [Int]) throws {
            try attempt {
                try db.inSavepoint {
                    for value in values {
                        if catches {
                            // The savepoint does not catch: it fails as one.
                            var strict = self
                            strict.catches = false
                            if number == boundary {
                                if hasCursor {
                                    cursor = try Row.fetchCursor(db, sql: "SELECT x FROM many")
                                    _ = try cursor?.next()
                                }
                                happen(writer)
                            }
                            number += 1
                            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
                        } else {
                            try insert(db, value)
                        }
                    }
                    return .commit
                }
            }
        }
        try writer.write { db in
            for value in [1, 2] { try insert(db, value) }
            try savepoint(db, [100, 101])
            try savepoint(db, [200, 201])
            for value in [3, 4] { try insert(db, value) }
            if number <= boundary { happen(writer) }
            // The cursor goes on, if it can.
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
        guard let error = error as? DatabaseError else { return false }
        return [.SQLITE_INTERRUPT, .SQLITE_ABORT].contains(error.resultCode)
    }

    /// Another connection can write at once, and so can this one.
    private func checkLocks(_ run: Run, _ writer: any DatabaseWriter, _ path: String) throws {
        do { try DatabaseQueue(path: path).write { try $0.execute(sql: "INSERT INTO many VALUES (-1)") } } catch {
            run.fail("\(name): another connection: \(error)")
        }
        do { try writer.write { try $0.execute(sql: "INSERT INTO many VALUES (-2)") } } catch {
            run.fail("\(name): the connection afterwards: \(error)")
        }
        // While it is suspended, nothing holds a lock, and a write leaves none.
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
