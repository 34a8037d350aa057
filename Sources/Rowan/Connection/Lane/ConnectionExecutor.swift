// Runs the asynchronous accesses of one connection: on its own serial queue, inside the calling task. A busy connection
// takes one thread, and no connection waits for the thread of another one.

import Dispatch

/// The serial executor of a connection.
final class ConnectionExecutor: SerialExecutor {
    /// The queue of the accesses. It targets the queue of the configuration, if there is one.
    let queue: DispatchQueue
    /// A queue without target, for reads that the writer waits for: if they shared a target queue, they would never
    /// start.
    let independentQueue: DispatchQueue

    init(label: String, qos: DispatchQoS, target: DispatchQueue?) {
        queue = DispatchQueue(label: label, qos: qos, target: target)
        independentQueue = target == nil ? queue : DispatchQueue(label: label, qos: qos)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs the closure on the queue, in the current task, with its task-local values and its cancellation.
    func run<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
        try await Isolation(executor: self).run(body)
    }

    private actor Isolation {
        private let executor: ConnectionExecutor

        init(executor: ConnectionExecutor) { self.executor = executor }

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func run<T: Sendable>(_ body: @Sendable () throws -> T) throws -> T { try body() }
    }
}
