// The queues that run a connection's asynchronous accesses. A busy connection takes one thread, and no connection waits
// for another's thread.

import Dispatch

/// The serial queues of a connection.
final class ConnectionQueues: Sendable {
    /// The queue of the accesses. It targets the configured queue, if any.
    let queue: DispatchQueue
    /// A queue without a target, for reads that the writer waits for: if they shared a target queue, they would never
    /// start.
    let independentQueue: DispatchQueue

    init(label: String, qos: DispatchQoS, target: DispatchQueue?) {
        queue = DispatchQueue(label: label, qos: qos, target: target)
        independentQueue = target == nil ? queue : DispatchQueue(label: label, qos: qos)
    }
}
