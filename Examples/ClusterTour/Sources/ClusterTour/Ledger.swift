// Writes each entry exactly once, even if the leader changes in the meantime.

import RowanCluster
import RowanRecords

struct Ledger {
    let cluster: DatabaseCluster

    /// Writes an entry. It waits while there is no leader, and retries if a leader disappears before the commit.
    ///
    /// - Throws: `UnknownOutcomeError` if no leader is found in time, and `DatabaseError`.
    func add(_ number: Int) async throws {
        do {
            try await cluster.write(retrying: 5) { db in
                var entry = Entry(number: number)
                try entry.insert(db)
            }
        } catch let unknown as UnknownOutcomeError {
            // The leader was lost during the commit, and no other leader reported the outcome in time.
            guard let ticket = unknown.ticket else { throw unknown }
            switch try await cluster.outcome(of: ticket) {
            case .committed: break
            case .rolledBack: try await add(number)
            case .unknown: throw unknown
            }
        }
    }

    /// The rows in the database, and the missing numbers from 1 to `count`.
    static func tally(_ count: Int, _ db: Database) throws -> Tally {
        let numbers = try Entry.select(\.number, as: Int.self).fetchAll(db)
        let known = Set(numbers)
        return Tally(
            count: numbers.count, lost: (1...count).count { !known.contains($0) }, doubled: numbers.count - known.count)
    }

    struct Tally: Equatable {
        var count: Int
        var lost: Int
        var doubled: Int
    }
}
