// The operators of observations. They change the delivered values or report what happens.

extension ValueObservation {
    /// Transforms the delivered values without occupying a connection.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking(Player.fetchAll).map { players in players.map(\.name) }
    /// ```
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        with { ValueReducers.Map(base: $0, transform: transform) }
    }
}

extension ValueObservation where Reducer: ValueReducer {
    /// Skips each value that equals the previous one.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
    where Reducer.Value: Equatable {
        with { ValueReducers.RemoveDuplicates(base: $0) { $0 == $1 } }
    }

    /// Skips each value that the closure considers equal to the previous one.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        // Several starts of the observation share the closure, which must not run concurrently.
        let predicate = Mutex(Predicate(areEqual: predicate))
        return with { reducer in
            ValueReducers.RemoveDuplicates(base: reducer) { first, second in
                predicate.withLock { $0.areEqual(first, second) }
            }
        }
    }

    /// Reports what happens in the observation, for debugging.
    ///
    /// - Parameters:
    ///   - willStart: the observation starts.
    ///   - willFetch: a fetch begins.
    ///   - willTrackRegion: the region whose changes will cause a new fetch.
    ///   - databaseDidChange: a transaction has changed the region.
    ///   - didReceiveValue: a value is about to be delivered.
    ///   - didFail: the observation has ended with an error.
    ///   - didCancel: the observation was cancelled.
    public func handleEvents(
        willStart: (@Sendable () -> Void)? = nil, willFetch: (@Sendable () -> Void)? = nil,
        willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil, databaseDidChange: (@Sendable () -> Void)? = nil,
        didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil, didFail: (@Sendable (any Error) -> Void)? = nil,
        didCancel: (@Sendable () -> Void)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        var observation = with { ValueReducers.Trace(base: $0, didReceiveValue: didReceiveValue ?? { _ in }) }
        observation.events.handlers.append(
            ObservationEvents.Handlers(
                willStart: willStart, willFetch: willFetch, willTrackRegion: willTrackRegion,
                databaseDidChange: databaseDidChange, didFail: didFail, didCancel: didCancel))
        return observation
    }

    /// Prints what happens in the observation, for debugging.
    ///
    /// ```swift
    /// observation.print("players")
    /// // players: start
    /// // players: fetch
    /// // players: tracked region: player(id,name,score)
    /// // players: value: [...]
    /// // players: database did change
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: the beginning of each line.
    ///   - stream: the output stream; by default, the standard output.
    public func print(
        _ prefix: String = "", to stream: sending (any TextOutputStream)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        let stream = Mutex(stream)
        let prefix = prefix.isEmpty ? "" : "\(prefix): "
        @Sendable func write(_ line: String) {
            stream.withLock { stream in
                guard stream != nil else { return Swift.print(prefix + line) }
                stream!.write(prefix + line + "\n")
            }
        }
        return handleEvents(
            willStart: { write("start") }, willFetch: { write("fetch") },
            willTrackRegion: { write("tracked region: \($0)") }, databaseDidChange: { write("database did change") },
            didReceiveValue: { write("value: \($0)") }, didFail: { write("failure: \($0)") },
            didCancel: { write("cancel") })
    }
}

/// Receivers of the events of an observation.
struct ObservationEvents: Sendable {
    struct Handlers: Sendable {
        var willStart: (@Sendable () -> Void)?
        var willFetch: (@Sendable () -> Void)?
        var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
        var databaseDidChange: (@Sendable () -> Void)?
        var didFail: (@Sendable (any Error) -> Void)?
        var didCancel: (@Sendable () -> Void)?
    }

    var handlers: [Handlers] = []

    func willStart() { for handler in handlers { handler.willStart?() } }
    func willFetch() { for handler in handlers { handler.willFetch?() } }
    func willTrack(_ region: DatabaseRegion) { for handler in handlers { handler.willTrackRegion?(region) } }
    func databaseDidChange() { for handler in handlers { handler.databaseDidChange?() } }
    func didFail(_ error: any Error) { for handler in handlers { handler.didFail?(error) } }
    func didCancel() { for handler in handlers { handler.didCancel?() } }
}

/// Compares two values. A closure that a lock contains directly gets another layer with each access.
private struct Predicate<Value> {
    let areEqual: (Value, Value) -> Bool
}
