// One observation for several observers. Each value is fetched and reduced once.

public import Dispatch
import RowanPlatform

/// The time during which a shared observation observes the database.
public enum SharedValueObservationExtent: Sendable {
    /// From the first observer until the shared observation is deallocated. An error ends it: later observers receive
    /// this error.
    case observationLifetime
    /// While there are observers. After an error, the next observer restarts the observation.
    case whileObserved
}

/// An observation that several observers share.
///
/// ```swift
/// let shared = ValueObservation.tracking(Player.fetchAll).shared(in: dbPool)
/// let first = shared.start { error in … } onChange: { players in … }
/// let second = shared.start { error in … } onChange: { players in … }
/// ```
///
/// An observer that joins a running observation receives its last value. An error ends the observation for all
/// observers. With the default extent, the next observer restarts it.
///
/// Article: <doc:Observation>.
public final class SharedValueObservation<Element: Sendable>: Sendable {
    private struct State {
        var observation: AnyDatabaseCancellable?
        /// The number of times the observation has started. Closures of cancelled starts are still called once.
        var generation = 0
        var isObserving = false
        var observers: [Observer] = []
        var lastValue: Element?
        /// The number of the last value.
        var valueNumber = 0
        /// The error that ended the observation, if it does not restart.
        var failure: (any Error)?
    }

    /// What a joining observer must do, or its initial state.
    private enum Joining {
        case start(generation: Int)
        case value(Element, number: Int)
        case failure(any Error)
        /// Wait for the first value.
        case wait
    }

    private let extent: SharedValueObservationExtent
    let scheduler: any ValueObservationScheduler
    private let bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy
    private let observe: AsyncValueObservation<Element>.Start
    private let state = Mutex(State())

    init(
        _ extent: SharedValueObservationExtent, _ scheduler: any ValueObservationScheduler,
        _ bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy,
        observe: @escaping AsyncValueObservation<Element>.Start
    ) {
        self.extent = extent
        self.scheduler = scheduler
        self.bufferingPolicy = bufferingPolicy
        self.observe = observe
    }

    /// Starts observing.
    ///
    /// - Parameters:
    ///   - onError: receives the error that ends the observation.
    ///   - onChange: receives the last value or the first one, then new values.
    /// - Returns: the observer, which stops when this object is deallocated. It retains the shared observation.
    @preconcurrency
    public func start(
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = Observer(onError: onError, onChange: onChange)
        let isImmediate = scheduler.immediateInitialValue()
        let joining = state.withLock { state -> Joining in
            if let failure = state.failure { return .failure(failure) }
            state.observers.append(observer)
            guard state.isObserving else {
                state.isObserving = true
                state.generation += 1
                return .start(generation: state.generation)
            }
            return state.lastValue.map { .value($0, number: state.valueNumber) } ?? .wait
        }
        switch joining {
        case .start(let generation): startObservation(generation)
        case .value(let value, let number): notify(isImmediate) { observer.notify(value, number: number) }
        case .failure(let error): notify(isImmediate) { observer.fail(error) }
        case .wait: break
        }
        return AnyDatabaseCancellable { self.remove(observer) }
    }

    /// The observed values as an asynchronous sequence.
    ///
    /// - Parameter bufferingPolicy: the handling of values that the loop has not taken yet. By default, up to eight of
    ///   them are queued, and a newer one replaces the oldest; after `deltas()`, all of them are queued.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy? = nil
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy ?? self.bufferingPolicy) { self.start(onError: $0, onChange: $1) }
    }

    private func notify(_ isImmediate: Bool, _ action: @escaping @Sendable () -> Void) {
        if isImmediate { action() } else { scheduler.schedule(action) }
    }

    private func startObservation(_ generation: Int) {
        let observation = observe(
            { [weak self] in self?.fail($0, generation) }, { [weak self] in self?.notify($0, generation) })
        // It may have ended in the meantime.
        state.withLock { state in
            if state.generation == generation, state.isObserving { state.observation = observation }
        }
    }

    private func notify(_ value: Element, _ generation: Int) {
        let (observers, number) = state.withLock { state -> ([Observer], Int) in
            guard state.generation == generation, state.isObserving else { return ([], 0) }
            state.lastValue = value
            state.valueNumber += 1
            return (state.observers, state.valueNumber)
        }
        for observer in observers { observer.notify(value, number: number) }
    }

    private func fail(_ error: any Error, _ generation: Int) {
        let ended = state.withLock { state -> State? in
            guard state.generation == generation else { return nil }
            defer {
                state = State(
                    generation: generation, valueNumber: state.valueNumber,
                    failure: extent == .observationLifetime ? error : nil)
            }
            return state
        }
        for observer in ended?.observers ?? [] { observer.fail(error) }
    }

    private func remove(_ observer: Observer) {
        observer.cancel()
        // The observation is released outside the lock.
        let ended = state.withLock { state -> State? in
            state.observers.removeAll { $0 === observer }
            guard state.observers.isEmpty, extent == .whileObserved, state.isObserving else { return nil }
            defer { state = State(generation: state.generation + 1, valueNumber: state.valueNumber) }
            return state
        }
        ended?.observation?.cancel()
    }

    /// An observer. It receives its values one at a time and in order, regardless of the scheduler.
    private final class Observer: Sendable {
        private struct State {
            var lastNumber = 0
            var onError: (@Sendable (any Error) -> Void)?
            var onChange: (@Sendable (Element) -> Void)?
        }

        private let state: Mutex<State>
        /// Held during a delivery. Recursive, because a closure of the program may cause another one.
        private let turn = RecursiveLock()

        init(
            onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void
        ) {
            state = Mutex(State(onError: onError, onChange: onChange))
        }

        func notify(_ value: Element, number: Int) {
            turn.withLock {
                let onChange = state.withLock { state -> (@Sendable (Element) -> Void)? in
                    guard number > state.lastNumber else { return nil }
                    state.lastNumber = number
                    return state.onChange
                }
                onChange?(value)
            }
        }

        func fail(_ error: any Error) {
            turn.withLock {
                let onError = state.withLock { state -> (@Sendable (any Error) -> Void)? in
                    defer { (state.onError, state.onChange) = (nil, nil) }
                    return state.onError
                }
                onError?(error)
            }
        }

        func cancel() { state.withLock { ($0.onError, $0.onChange) = (nil, nil) } }
    }
}

extension ValueObservation where Reducer: ValueReducer {
    /// An observation that several observers share, which fetches each value once for all of them.
    ///
    /// - Parameters:
    ///   - reader: a queue, a pool or a snapshot.
    ///   - scheduler: where the closures of all observers run; by default, asynchronously on the main queue.
    ///   - extent: how long the database is observed; by default, while there are observers.
    public func shared(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        SharedValueObservation(extent, scheduler, Reducer.bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}
