// The tickets of one connection: a random name, and a number for each transaction.

import Foundation
import Rowan

/// Creates the tickets of one connection.
struct TicketWriter {
    private let database: String
    private var client = Self.randomName()
    private var sequence: Int64 = 0
    private(set) var current: TransactionTicket?

    init(_ database: String) { self.database = database }

    private static func randomName() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }

    /// The ticket of a new transaction, and the values that claim it.
    mutating func next() -> [DatabaseValue] {
        sequence += 1
        let ticket = TransactionTicket(database: database, client: client, sequence: sequence, date: Date())
        current = ticket
        return [
            client.databaseValue, sequence.databaseValue, ticket.date.timeIntervalSince1970.databaseValue,
        ]
    }

    mutating func end() { current = nil }

    /// Ensures that later transactions do not overwrite the row of a ticket whose outcome the program may query.
    mutating func leaveRow() { (client, sequence) = (Self.randomName(), 0) }
}
