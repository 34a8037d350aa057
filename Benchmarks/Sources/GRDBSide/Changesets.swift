import GRDB
import Harness

// The peer has no changesets and no restrictions: it makes the changes, and opens databases, without them.
extension Assignment {
    func recordTickets() throws -> any Run {
        let records = tickets.map { Ticket($0) }
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.write { db in for record in records { try record.update(db) } }
        } digest: { _, checksum in
            checksum.add(Int64(records.count))
        } close: {
            try queue.close()
        }
    }

    func applyTickets() throws -> any Run { try updateTickets() }

    func openAndCloseUntrusted() -> any Run { openAndClose() }
}
