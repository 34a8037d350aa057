// Subscriptions to observations. They deliver values until they are cancelled or an error occurs.

#if canImport(Combine)
import Combine

/// A subscription to observed values.
final class ValueSubscription<Input: Sendable>: Subscription, Sendable {
    private struct State {
        var downstream: Downstream<Input>?
        /// Nil after the start.
        var start: AsyncValueObservation<Input>.Start?
        var observation: AnyDatabaseCancellable?
        var demand = Subscribers.Demand.none
        /// The last value if it is not delivered yet.
        var pending: Input?
        var isDelivering = false
        /// The error that follows the value that is being delivered.
        var failure: (any Error)?
    }

    private let scheduler: any ValueObservationScheduler
    private let state: Mutex<State>

    init(
        _ downstream: Downstream<Input>, _ scheduler: any ValueObservationScheduler,
        _ start: @escaping AsyncValueObservation<Input>.Start
    ) {
        self.scheduler = scheduler
        state = Mutex(State(downstream: downstream, start: start))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > 0 else { return }
        let (start, isPending) = state.withLock { state in
            guard state.downstream != nil else { return (AsyncValueObservation<Input>.Start?.none, false) }
            state.demand += demand
            defer { state.start = nil }
            return (state.start, state.pending != nil && !state.isDelivering)
        }
        if let start { return observe(start) }
        if isPending { scheduler.schedule { self.deliver() } }
    }

    private func observe(_ start: AsyncValueObservation<Input>.Start) {
        let observation = start(
            { [weak self] error in self?.fail(error) }, { [weak self] value in self?.receive(value) })
        // An immediately delivered first value may have cancelled the subscription.
        let isEnded = state.withLock { state in
            guard state.downstream != nil else { return true }
            state.observation = observation
            return false
        }
        if isEnded { observation.cancel() }
    }

    private func receive(_ value: Input) {
        state.withLock { state in
            if state.downstream != nil { state.pending = value }
        }
        deliver()
    }

    /// Delivers the last value if the subscriber has requested it. One thread delivers at a time.
    private func deliver() {
        while let (downstream, value) = takePending() {
            let more = downstream.receive(value)
            let failure = state.withLock { state in
                state.demand += more
                state.isDelivering = false
                return state.failure
            }
            if let failure { return fail(failure) }
        }
    }

    /// Completes after the value that another thread is delivering.
    private func fail(_ error: any Error) {
        let ended = state.withLock { state -> State? in
            guard !state.isDelivering else {
                state.failure = error
                return nil
            }
            defer { state = State() }
            return state
        }
        ended?.observation?.cancel()
        ended?.downstream?.complete(.failure(error))
    }

    private func takePending() -> (Downstream<Input>, Input)? {
        state.withLock { state in
            guard !state.isDelivering, state.demand > 0, let downstream = state.downstream, let value = state.pending
            else { return nil }
            state.pending = nil
            state.demand -= 1
            state.isDelivering = true
            return (downstream, value)
        }
    }

    func cancel() { _ = end() }

    /// - Returns: the subscriber, unless the subscription has ended.
    private func end() -> Downstream<Input>? {
        let ended = state.withLock { state in
            // Released outside the lock.
            defer { state = State() }
            return state
        }
        ended.observation?.cancel()
        return ended.downstream
    }
}

/// A subscription to transactions.
final class RegionSubscription: Subscription, Sendable {
    private struct State {
        var downstream: Downstream<Database>?
        /// Nil after the start.
        var start: (observation: DatabaseRegionObservation, writer: any DatabaseWriter)?
        var observation: AnyDatabaseCancellable?
        var demand = Subscribers.Demand.none
    }

    private let state: Mutex<State>

    init(_ downstream: Downstream<Database>, _ observation: DatabaseRegionObservation, _ writer: any DatabaseWriter) {
        state = Mutex(State(downstream: downstream, start: (observation, writer)))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > 0 else { return }
        let start = state.withLock { state -> (observation: DatabaseRegionObservation, writer: any DatabaseWriter)? in
            guard state.downstream != nil else { return nil }
            state.demand += demand
            defer { state.start = nil }
            return state.start
        }
        guard let start else { return }
        let observation = start.observation.start(
            in: start.writer, onError: { [weak self] error in self?.end()?.complete(.failure(error)) },
            onChange: { [weak self] db in self?.receive(db) })
        // A transaction on another thread may have cancelled the subscription in the meantime.
        let isEnded = state.withLock { state in
            guard state.downstream != nil else { return true }
            state.observation = observation
            return false
        }
        if isEnded { observation.cancel() }
    }

    private func receive(_ db: Database) {
        let downstream = state.withLock { state -> Downstream<Database>? in
            guard state.demand > 0 else { return nil }
            state.demand -= 1
            return state.downstream
        }
        guard let more = downstream?.receive(db) else { return }
        state.withLock { $0.demand += more }
    }

    func cancel() { _ = end() }

    /// - Returns: the subscriber, unless the subscription has ended.
    private func end() -> Downstream<Database>? {
        let ended = state.withLock { state in
            // Released outside the lock.
            defer { state = State() }
            return state
        }
        ended.observation?.cancel()
        return ended.downstream
    }
}
#endif
