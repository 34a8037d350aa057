// A started observation: takes fetched values, reduces them outside the database, and delivers them one at a time.

import Dispatch

/// A started observation.
final class ObservationReceiver<Reducer: _ValueReducer>: FetchReceiver {
    private struct State {
        /// Fetched values that are not delivered yet.
        var pending: [Reducer.Fetched] = []
        var failure: (any Error)?
        /// Whether a value is being reduced or delivered.
        var isNotifying = false
        var onError: (@Sendable (any Error) -> Void)?
        var onChange: (@Sendable (Reducer.Value) -> Void)?
        var fetch: SharedFetch<Reducer.Fetched>?
        /// The database, which stays open during the observation.
        var reader: (any DatabaseReader)?
        var isEnded = false
        /// Whether a value has been taken for delivery.
        var hasTakenValue = false
        var turn: ObservationTurn

        /// - Returns: whether the caller must deliver the values.
        mutating func beginNotifying() -> Bool {
            defer { isNotifying = true }
            return !isNotifying && !isEnded
        }

        /// Takes the next value if its turn has come. Without a value or a failure, the delivery stops.
        mutating func takeNext() -> Reducer.Fetched? {
            // The first value is delivered immediately. So is a failure, after the values that precede it.
            guard !pending.isEmpty, !hasTakenValue || failure != nil || turn.hasCome else {
                if failure == nil { isNotifying = false }
                return nil
            }
            willNotify()
            return pending.removeFirst()
        }

        mutating func willNotify() {
            hasTakenValue = true
            turn.willNotify()
        }
    }

    let events: ObservationEvents
    private let scheduler: any ValueObservationScheduler
    private let reducer: Mutex<Reducer>
    private let state: Mutex<State>

    /// The maximum number of values queued for a slow program. Later changes are fetched when it is ready again.
    private let capacity: Int

    init(
        _ reducer: Reducer, _ events: ObservationEvents, _ pace: ObservationPace,
        _ scheduler: any ValueObservationScheduler, in reader: any DatabaseReader,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        self.reducer = Mutex(reducer)
        self.events = events
        self.scheduler = scheduler
        // The value that waits for its turn is the newest one.
        capacity = pace.isEveryValue ? 8 : 1
        state = Mutex(State(onError: onError, onChange: onChange, reader: reader, turn: ObservationTurn(pace)))
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
            defer { state = State(isEnded: true, turn: ObservationTurn(ObservationPace())) }
            return state
        }
        return ended.map(\.fetch)
    }

    // MARK: Values

    var isReady: Bool { state.withLock { $0.pending.count < capacity && $0.turn.hasCome } }

    func databaseDidChange() {
        events.databaseDidChange()
        setAlarm(
            state.withLock { state in
                state.turn.databaseDidChange()
                return state.turn.takeAlarm()
            })
    }

    func receive(_ fetched: Reducer.Fetched) {
        let begins = state.withLock { state in
            guard !state.isEnded else { return false }
            // The newest value replaces an outdated one.
            if state.pending.count >= capacity { state.pending.removeLast() }
            state.pending.append(fetched)
            return state.beginNotifying()
        }
        if begins { continueNotifying() }
    }

    func fail(_ error: any Error) {
        let begins = state.withLock { state in
            guard !state.isEnded else { return false }
            state.failure = error
            return state.beginNotifying()
        }
        if begins { notifyNext() }
    }

    /// Reduces the next value and schedules its delivery.
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
        continueNotifying()
    }

    private func continueNotifying() {
        if Reducer._isIdentity { return notifyNext() }
        reductionQueue.async { self.notifyNext() }
    }

    /// - Returns: nil if there is no value to deliver now. The next value then restarts the delivery.
    private func takeNext() -> Reducer.Fetched? {
        let (fetched, failure, fetch, alarm) = state.withLock { state in
            let wasReady = state.pending.count < capacity
            guard let fetched = state.takeNext() else {
                return (Reducer.Fetched?.none, state.failure, state.fetch, UInt64?.none)
            }
            return (fetched, nil, wasReady ? nil : state.fetch, state.turn.takeAlarm())
        }
        setAlarm(alarm)
        if let failure { notifyFailure(failure) }
        if fetched != nil { fetch?.receiverIsReady() }
        return fetched
    }

    // MARK: Pace

    /// Wakes the observation when its turn has come.
    private func setAlarm(_ uptime: UInt64?) {
        // Dispatch can't represent a later time. No program runs for so long.
        guard let uptime, uptime < UInt64(Int64.max) else { return }
        reductionQueue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: uptime)) { [weak self] in
            self?.alarmDidRing()
        }
    }

    private func alarmDidRing() {
        // One reading of the clock: either the turn has come, or another alarm is set.
        let now = Uptime.now
        let (alarm, begins, fetch) = state.withLock { state in
            state.turn.alarmDidRing()
            // A change may have postponed the turn.
            guard state.turn.hasCome(at: now) else { return (state.turn.takeAlarm(at: now), false, state.fetch) }
            return (nil, !state.pending.isEmpty && state.beginNotifying(), state.fetch)
        }
        if let alarm { return setAlarm(alarm) }
        if begins { notifyNext() }
        fetch?.receiverIsReady()
    }

    private func notifyFailure(_ error: any Error) {
        let onError = state.withLock { $0.onError }
        guard let fetch = end() else { return }
        fetch?.remove(self)
        events.didFail(error)
        scheduler.schedule { onError?(error) }
    }

    // MARK: Immediate start

    /// Queues the values that are fetched from now on until the first one is delivered.
    func willNotifyImmediately() { state.withLock { $0.isNotifying = true } }

    /// Delivers the first value on the current thread, then the values fetched since.
    func notifyImmediately(_ fetched: Reducer.Fetched) throws {
        if let value = try reducer.withLock({ try $0._value(fetched) }) {
            let (onChange, alarm) = state.withLock { state in
                state.willNotify()
                return (state.onChange, state.turn.takeAlarm())
            }
            setAlarm(alarm)
            onChange?(value)
        }
        guard !isEnded else { return }
        continueNotifying()
    }

    /// Delivers an error on the current thread and ends the observation.
    func failImmediately(_ error: any Error) {
        let onError = state.withLock { $0.onError }
        guard let fetch = end() else { return }
        fetch?.remove(self)
        events.didFail(error)
        onError?(error)
    }
}

/// The queue on which values are reduced, outside accesses.
private let reductionQueue = DispatchQueue(label: "Rowan.ValueObservation", attributes: .concurrent)
