import Harness
import Rowan
import RowanChangesets

extension Assignment {
    /// Updates tickets, and makes a changeset of it.
    func recordTickets() throws -> any Run {
        let records = tickets.map { Ticket($0) }
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.write { db in
                try db.recordChanges { for record in records { try record.update(db) } }
            }
        } digest: { changes, checksum in
            checksum.add(Int64((try? changes.changes().count) ?? -1))
        } close: {
            try queue.close()
        }
    }

    /// Applies the changeset of updates.
    func applyTickets() throws -> any Run {
        let records = tickets.map { Ticket($0) }
        let queue = try makeQueue(path: path)
        let changes = try queue.write { db in
            let changes = try db.recordChanges { for record in records { try record.update(db) } }
            try db.apply(changes.inverted())
            return changes
        }
        return ClosureRun {
            try queue.write { db in _ = try db.apply(changes) }
        } digest: { _, _ in
        } close: {
            try queue.close()
        }
    }

    /// `openAndClose` on connections that trust neither the file nor the SQL.
    func openAndCloseUntrusted() -> any Run {
        ClosureRun {
            var configuration = makeConfiguration()
            configuration.trust = [.untrustedFile, .untrustedSQL(SQLLimits())]
            var sum = 0
            for _ in 0..<count {
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                sum &+= try queue.read { db in
                    try Int.fetchOne(db, sql: "SELECT c3 FROM ints WHERE rowid = 1") ?? 0
                }
                try queue.close()
            }
            return sum
        } digest: { sum, checksum in
            checksum.add(Int64(sum))
        } close: {
        }
    }
}
