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
        let tickets = TicketList(assignment.tickets)
        switch assignment.workload {
        case .changesetRecord:
            return try run(path, into: Changes()) { connection, changes in
                floor_free_changes(&changes.changes)
                return floor_record_tickets(connection, tickets.rows, tickets.rows.count, &changes.changes)
            }
        case .changesetApply:
            let changes = Changes()
            let connection = try Connection(path: path)
            try connection.check(
                floor_record_tickets(connection.handle, tickets.rows, tickets.rows.count, &changes.changes))
            try connection.check(floor_undo_changes(connection.handle, &changes.changes))
            return try run(path, into: Nothing()) { connection, _ in
                floor_apply_changes(connection, &changes.changes)
            }
        default: break
        }
        let write =
            switch assignment.workload {
            case .updateFile: floor_update_tickets
            case .upsertFile: floor_upsert_tickets
            default: floor_insert_tickets
            }
        return try run(path, into: Nothing()) { connection, _ in
            write(connection, tickets.rows, tickets.rows.count)
        }
    }
}

/// A changeset.
final class Changes: Digestible {
    var changes = FloorChanges()

    deinit { floor_free_changes(&changes) }

    func digest(into checksum: inout Checksum) { checksum.add(floor_count_changes(&changes)) }
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
