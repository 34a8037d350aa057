// Records the notifications of observations.

import Dispatch
import Foundation
import Testing

@testable import Rowan

/// The notifications of an observation.
final class Recorder<Value: Sendable>: Sendable {
    private let state = Mutex<(values: [Value], errors: [any Error])>(([], []))
    private let cancellable = Mutex<AnyDatabaseCancellable?>(nil)

    var values: [Value] { state.withLock { $0.values } }
    var errors: [any Error] { state.withLock { $0.errors } }

    func append(_ value: Value) { state.withLock { $0.values.append(value) } }
    func append(error: any Error) { state.withLock { $0.errors.append(error) } }

    /// Starts an observation on its own queue.
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
    /// Starts the observation and records its notifications.
    func record(in reader: any DatabaseReader) -> Recorder<Reducer.Value> {
        let recorder = Recorder<Reducer.Value>()
        recorder.start(self, in: reader)
        return recorder
    }
}

extension DatabaseWriter {
    /// Waits for previously scheduled accesses.
    func fence() async throws {
        // A pool's observation fetches, joins the writer, and may then fetch again.
        for _ in 1...3 {
            try await writeWithoutTransaction { _ in }
            try await barrierWriteWithoutTransaction { _ in }
            // Between its fetch and its next access, an observation isn't in any queue.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until an observation observes the writer. A pool's observation has notified its first value by then.
    func isObserved() async {
        await eventually { writeWithoutTransaction { db in !db.observationHub.isEmpty } }
    }
}
