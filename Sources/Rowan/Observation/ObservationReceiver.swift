// A started observation: takes fetched values, reduces them outside of the database, and notifies them one at a time.

import Dispatch

/// A started observation.
final class ObservationReceiver<Reducer: _ValueReducer>: FetchReceiver {
    private struct State {
        /// Fetched values that are not notified yet.
        var pending: [Reducer.Fetched] = []
        var failure: (any Error)?
        /// Whether a value is being reduced or notified.
        var isNotifying = false
        var onError: (@Sendable (any Error) -> Void)?
        var onChange: (@Sendable (Reducer.Value) -> Void)?
        var fetch: SharedFetch<Reducer.Fetched>?
        /// The database, which stays open during the observation.
        var reader: (any DatabaseReader)?
        var isEnded = false
    }

    let events: ObservationEvents
    private let scheduler: any ValueObservationScheduler
    private let reducer: Mutex<Reducer>
    private let state: Mutex<State>

    /// The most values that wait for a slow program. Later changes are fetched when it is ready again.
    private static var capacity: Int { 8 }

    init(
        _ reducer: Reducer, _ events: ObservationEvents, _ scheduler: any ValueObservationScheduler,
        in reader: any DatabaseReader, onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        self.reducer = Mutex(reducer)
        self.events = events
        self.scheduler = scheduler
        state = Mutex(State(onError: onError, onChange: onChange, reader: reader))
    }

    // MARK: Lifetime

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Records the fetch that provides the values.
    ///
    /// - Returns: false if the observation has ended in the meantime.
    func setFetch(_ fetch: SharedFetch<Reducer.Fetched>) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            state.fetch = fetch
            return true
        }
    }

    func cancel() {
        guard let fetch = end() else { return }
        fetch?.remove(self)
        events.didCancel()
    }

    /// Releases everything that the observation holds.
    ///
    /// - Returns: nil if the observation has already ended.
    private func end() -> SharedFetch<Reducer.Fetched>?? {
        // The closures of the program are released outside the lock.
        let ended = state.withLock { state -> State? in
            guard !state.isEnded else { return nil }
            defer { state = State(isEnded: true) }
            return state
        }
        return ended.map(\.fetch)
    }

    // MARK: Values

    var isReady: Bool { state.withLock { $0.pending.count < Self.capacity } }

    func receive(_ fetched: Reducer.Fetched) {
        let begins = state.withLock { state in
            guard !state.isEnded else { return false }
            // The newest value replaces one that is out of date.
            if state.pending.count >= Self.capacity { state.pending.removeLast() }
            state.pending.append(fetched)
            defer { state.isNotifying = true }
            return !state.isNotifying
        }
        guard begins else { return }
        if Reducer._isIdentity { return notifyNext() }
        reductionQueue.async { self.notifyNext() }
    }

    func fail(_ error: any Error) {
        let begins = state.withLock { state in
            guard !state.isEnded else { return false }
            state.failure = error
            defer { state.isNotifying = true }
            return !state.isNotifying
        }
        if begins { notifyNext() }
    }

    /// Reduces the next value, and schedules its notification.
    private func notifyNext() {
        while let fetched = takeNext() {
            do {
                guard let value = try reducer.withLock({ try $0._value(fetched) }) else { continue }
                return scheduler.schedule { self.notify(value) }
            } catch {
                return notifyFailure(error)
            }
        }
    }

    private func notify(_ value: Reducer.Value) {
        state.withLock { $0.onChange }?(value)
        guard state.withLock({ !$0.isEnded }) else { return }
        if Reducer._isIdentity { return notifyNext() }
        reductionQueue.async { self.notifyNext() }
    }

    /// - Returns: nil if no value is left; then the next one begins again.
    private func takeNext() -> Reducer.Fetched? {
        let (fetched, failure, fetch) = state.withLock { state in
            guard !state.pending.isEmpty else {
                let failure = state.failure
                if failure == nil { state.isNotifying = false }
                return (Reducer.Fetched?.none, failure, state.fetch)
            }
            let wasReady = state.pending.count < Self.capacity
            return (state.pending.removeFirst(), nil, wasReady ? nil : state.fetch)
        }
        if let failure { notifyFailure(failure) }
        if fetched != nil { fetch?.receiverIsReady() }
        return fetched
    }

    private func notifyFailure(_ error: any Error) {
        let onError = state.withLock { $0.onError }
        guard let fetch = end() else { return }
        fetch?.remove(self)
        events.didFail(error)
        scheduler.schedule { onError?(error) }
    }

    /// Notifies the first value on the current thread.
    func notifyImmediately(_ fetched: Reducer.Fetched) throws {
        guard let value = try reducer.withLock({ try $0._value(fetched) }) else { return }
        state.withLock { $0.onChange }?(value)
    }

    /// Notifies an error on the current thread, and ends the observation.
    func failImmediately(_ error: any Error) {
        let onError = state.withLock { $0.onError }
        guard end() != nil else { return }
        events.didFail(error)
        onError?(error)
    }
}

/// Where values are reduced, outside of accesses.
private let reductionQueue = DispatchQueue(label: "Rowan.ValueObservation", attributes: .concurrent)
