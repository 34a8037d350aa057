import CFloor
import Harness

// Writes into the table with four indexes.

extension FloorSide {
    func runTickets(_ assignment: Assignment) throws -> any Run {
        let (path, count) = (assignment.path, assignment.count)
        if assignment.workload == .deleteFile {
            let ids = assignment.scrambledIDs
            return try run(path, into: Sum()) { connection, sum in
                floor_delete_tickets(connection, ids, count, &sum.value)
            }
        }
        let write =
            switch assignment.workload {
            case .updateFile: floor_update_tickets
            case .upsertFile: floor_upsert_tickets
            default: floor_insert_tickets
            }
        let tickets = TicketList(assignment.tickets)
        return try run(path, into: Nothing()) { connection, _ in
            write(connection, tickets.rows, tickets.rows.count)
        }
    }
}

/// Tickets that own their texts.
final class TicketList {
    private(set) var rows: [FloorTicket]

    init(_ samples: [TicketSample]) {
        rows = samples.map { sample in
            FloorTicket(
                id: sample.id, ownerId: sample.ownerId, priority: sample.priority, due: sample.due,
                code: FloorText(sample.code), status: FloorText(sample.status), title: FloorText(sample.title))
        }
    }

    deinit { floor_free_tickets(&rows, rows.count) }
}
