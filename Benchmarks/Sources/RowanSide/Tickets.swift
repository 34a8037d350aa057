import Harness
import Rowan

/// A record in a table with four indexes.
struct Ticket {
    var id: Int64
    var code: String
    var ownerId: Int64
    var status: String
    var priority: Int64
    var title: String
    var due: Int64
}

extension Ticket: PersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["code"] = code
        container["ownerId"] = ownerId
        container["status"] = status
        container["priority"] = priority
        container["title"] = title
        container["due"] = due
    }
}

extension Ticket {
    init(_ sample: TicketSample) {
        self.init(
            id: sample.id, code: sample.code, ownerId: sample.ownerId, status: sample.status,
            priority: sample.priority, title: sample.title, due: sample.due)
    }
}

extension Assignment {
    func insertTickets() throws -> any Run {
        let records = tickets.map { Ticket($0) }
        return try write { db in
            for record in records { try record.insert(db) }
        }
    }

    /// The peer has no method that inserts several records, so it runs a loop.
    func insertAllTickets() throws -> any Run {
        let records = tickets.map { Ticket($0) }
        return try write { db in
            #if HAS_INSERT_ALL
            try Ticket.insertAll(db, records)
            #else
            for record in records { try record.insert(db) }
            #endif
        }
    }

    /// Changes the owner of each ticket, and so one of the indexes.
    func updateTickets() throws -> any Run {
        let records = tickets.map { Ticket($0) }
        return try write { db in
            for record in records { try record.update(db) }
        }
    }

    /// Alternately changes the owner of a ticket and inserts a new one.
    func upsertTickets() throws -> any Run {
        let records = tickets.map { Ticket($0) }
        return try write { db in
            for record in records { try record.upsert(db) }
        }
    }

    func deleteTickets() throws -> any Run {
        let ids = scrambledIDs
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.write { db in
                var deleted: Int64 = 0
                for id in ids where try Ticket.deleteOne(db, key: id) { deleted += 1 }
                return deleted
            }
        } digest: { deleted, checksum in
            checksum.add(deleted)
        } close: {
            try queue.close()
        }
    }
}
