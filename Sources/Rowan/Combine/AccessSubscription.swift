// A subscription to one access: it delivers a value and completes.

#if canImport(Combine)
import Combine

/// Runs an access and calls the closure with its result.
typealias AccessRun<Output> = @Sendable (@escaping @Sendable (Result<Output, any Error>) -> Void) -> Void

/// The scheduler on which a subscriber receives its value. `@unchecked Sendable`: Combine's schedulers are called from
/// any thread.
struct AccessSchedule: @unchecked Sendable {
    private let schedule: (@escaping () -> Void) -> Void

    init(_ scheduler: some Combine.Scheduler) { schedule = { scheduler.schedule($0) } }

    func callAsFunction(_ action: @escaping () -> Void) { schedule(action) }
}

/// A subscriber. `@unchecked Sendable`: Combine's subscribers are called from any thread, one call at a time.
struct Downstream<Input>: @unchecked Sendable {
    let receive: (Input) -> Subscribers.Demand
    let complete: (Subscribers.Completion<any Error>) -> Void

    init(_ subscriber: some Subscriber<Input, any Error>) {
        receive = { subscriber.receive($0) }
        complete = { subscriber.receive(completion: $0) }
    }
}

final class AccessSubscription<Input: Sendable>: Subscription, Sendable {
    private struct State {
        var downstream: Downstream<Input>?
        /// Nil after the start.
        var run: AccessRun<Input>?
    }

    private let state: Mutex<State>
    private let schedule: AccessSchedule

    init(_ downstream: Downstream<Input>, _ schedule: AccessSchedule, _ run: @escaping AccessRun<Input>) {
        state = Mutex(State(downstream: downstream, run: run))
        self.schedule = schedule
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > 0 else { return }
        let run = state.withLock { state in
            defer { state.run = nil }
            return state.run
        }
        run? { result in
            // Without a subscriber, there is nothing left to schedule.
            guard self.downstream != nil else { return }
            self.schedule { self.deliver(result) }
        }
    }

    func cancel() { _ = end() }

    private var downstream: Downstream<Input>? { state.withLock { $0.downstream } }

    /// - Returns: the subscriber, unless the subscription has ended.
    private func end() -> Downstream<Input>? {
        let ended = state.withLock { state in
            // Released outside the lock.
            defer { state = State() }
            return state
        }
        return ended.downstream
    }

    private func deliver(_ result: Result<Input, any Error>) {
        switch result {
        case .success(let value):
            _ = downstream?.receive(value)
            // The subscriber may have cancelled.
            end()?.complete(.finished)
        case .failure(let error):
            end()?.complete(.failure(error))
        }
    }
}
#endif
