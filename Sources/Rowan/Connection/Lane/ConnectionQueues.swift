// Where the asynchronous accesses of one connection run. A busy connection takes one thread, and no connection waits for
// the thread of another one.

import Dispatch

/// The serial queues of a connection.
final class ConnectionQueues: Sendable {
    /// The queue of the accesses. It targets the queue of the configuration, if there is one.
    let queue: DispatchQueue
    /// A queue without target, for reads that the writer waits for: if they shared a target queue, they would never
    /// start.
    let independentQueue: DispatchQueue

    init(label: String, qos: DispatchQoS, target: DispatchQueue?) {
        queue = DispatchQueue(label: label, qos: qos, target: target)
        independentQueue = target == nil ? queue : DispatchQueue(label: label, qos: qos)
    }
}
