// Observations in tests: what they notify, recorded.

import Dispatch
import Foundation
import Testing

@testable import Rowan

/// What an observation has notified.
final class Recorder<Value: Sendable>: Sendable {
    private let state = Mutex<(values: [Value], errors: [any Error])>(([], []))
    private let cancellable = Mutex<AnyDatabaseCancellable?>(nil)

    var values: [Value] { state.withLock { $0.values } }
    var errors: [any Error] { state.withLock { $0.errors } }

    func append(_ value: Value) { state.withLock { $0.values.append(value) } }
    func append(error: any Error) { state.withLock { $0.errors.append(error) } }

    /// Starts an observation on a queue of its own.
    func start<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader,
        on queue: DispatchQueue = DispatchQueue(label: "recorder")
    ) where Reducer.Value == Value {
        let started = observation.start(in: reader, scheduling: .async(onQueue: queue)) { [weak self] in
            self?.append(error: $0)
        } onChange: { [weak self] in
            self?.append($0)
        }
        cancellable.withLock { $0 = started }
    }

    func cancel() {
        let started = cancellable.withLock { started in
            defer { started = nil }
            return started
        }
        started?.cancel()
    }
}

extension ValueObservation where Reducer: ValueReducer {
    /// Starts the observation, and records what it notifies.
    func record(in reader: any DatabaseReader) -> Recorder<Reducer.Value> {
        let recorder = Recorder<Reducer.Value>()
        recorder.start(self, in: reader)
        return recorder
    }
}

extension DatabaseWriter {
    /// Waits for the accesses that were scheduled before.
    func fence() async throws {
        // An observation of a pool fetches, joins the writer, then may fetch again.
        for _ in 1...3 {
            try await writeWithoutTransaction { _ in }
            try await barrierWriteWithoutTransaction { _ in }
            // Between the end of its fetch and its next access, an observation waits nowhere.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until an observation observes the writer: in a pool, it has notified its first value before.
    func isObserved() async {
        await eventually { writeWithoutTransaction { db in !db.observationHub.isEmpty } }
    }
}
