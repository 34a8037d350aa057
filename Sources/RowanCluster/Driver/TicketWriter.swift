// The tickets of one connection: a random name, and a number for each transaction.

import RowanPlatform
import Rowan

/// Creates the tickets of one connection.
struct TicketWriter {
    private let database: String
    private var client = Self.randomName()
    private var sequence: Int64 = 0
    private(set) var current: TransactionTicket?
    /// Whether the program has the current ticket.
    private var isShared = false
    /// The generation of the table of the tickets, when it was last read.
    var generation: Int64 = 0 { didSet { current?.generation = generation } }
    /// The number of rows that the connection has left since it last looked for old ones.
    private var leftCount = 0

    init(_ database: String) { self.database = database }

    private static func randomName() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }

    /// The ticket of the transaction, and the values that write it. It stays the same if its row was undone with a
    /// savepoint.
    mutating func claim() -> (TransactionTicket, values: [DatabaseValue]) {
        if current == nil { sequence += 1 }
        let ticket =
            current
            ?? TransactionTicket(
                database: database, client: client, sequence: sequence, generation: generation, date: Date())
        current = ticket
        return (ticket, [client.databaseValue, sequence.databaseValue])
    }

    /// The current ticket, for the program.
    mutating func share() throws -> TransactionTicket {
        guard let current else { throw WireError.closed("the transaction has ended") }
        isShared = true
        return current
    }

    /// Called after the transaction has ended.
    mutating func end() {
        current = nil
        if isShared { leaveRow() }
    }

    /// Ensures that later transactions do not overwrite the row of a ticket whose outcome the program may query.
    mutating func leaveRow() {
        (client, sequence, isShared) = (Self.randomName(), 0, false)
        leftCount += 1
    }

    /// Whether the connection has left so many rows that the table may be full. It is true once.
    mutating func takeFullness() -> Bool {
        guard leftCount >= TicketTable.keptCount / 10 else { return false }
        leftCount = 0
        return true
    }
}
