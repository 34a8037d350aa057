// What the front counts, for the metrics.

import Synchronization

/// The counters of a front. Its thread changes them; that of the metrics reads them.
final class FrontCounts: Sendable {
    struct Values {
        /// The connections of clients, and of other nodes.
        private(set) var clients = 0
        private(set) var peers = 0
        /// The requests that were passed on or answered, by the raw value of their kind.
        var requests = [UInt64](repeating: 0, count: 256)
        var refusals: UInt64 = 0
        /// Responses to clients.
        var responses: UInt64 = 0
        var receivedBytes: UInt64 = 0
        var sentBytes: UInt64 = 0
        /// Transactions that were rolled back because their client sent nothing.
        var endedTransactions: UInt64 = 0

        /// Called for a connection that begins, changes its state, or ends.
        mutating func move(from old: FrontClient.State?, to new: FrontClient.State?) {
            for (state, change) in [(old, -1), (new, 1)] {
                switch state {
                case nil, .removed: break
                case .peer: peers += change
                case .securing, .new, .client, .ended, .closing: clients += change
                }
            }
        }

        /// Called for a response of the front itself.
        mutating func addAnswer(_ size: Int) {
            responses += 1
            sentBytes += UInt64(size)
        }
    }

    private let state = Mutex(Values())

    var values: Values { state.withLock { $0 } }

    func update(_ body: (inout sending Values) -> Void) { state.withLock { body(&$0) } }
}
