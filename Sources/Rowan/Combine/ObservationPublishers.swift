// The publishers of observations.

#if canImport(Combine)
public import Dispatch

extension ValueObservation where Reducer: ValueReducer {
    /// A publisher of the observed values.
    ///
    /// ```swift
    /// let cancellable = ValueObservation.tracking { db in try Player.fetchAll(db) }
    ///     .publisher(in: dbQueue)
    ///     .sink { completion in … } receiveValue: { players in print(players) }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue, a pool or a snapshot.
    ///   - scheduler: where the subscriber receives the values; by default, asynchronously on the main queue.
    ///     `.immediate` delivers the first value during the subscription, on the main thread.
    public func publisher(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
    ) -> DatabasePublishers.Value<Reducer.Value> {
        DatabasePublishers.Value(scheduler: scheduler) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}

extension SharedValueObservation {
    /// A publisher of the observed values. Its subscriptions share them.
    ///
    /// ```swift
    /// let shared = ValueObservation.tracking { db in try Player.fetchAll(db) }.shared(in: dbQueue)
    /// let cancellable = shared.publisher()
    ///     .sink { completion in … } receiveValue: { players in print(players) }
    /// ```
    public func publisher() -> DatabasePublishers.Value<Element> {
        DatabasePublishers.Value(scheduler: scheduler) { self.start(onError: $0, onChange: $1) }
    }
}

extension DatabaseRegionObservation {
    /// A publisher of the transactions that change the region.
    ///
    /// ```swift
    /// let cancellable = DatabaseRegionObservation(tracking: Player.all())
    ///     .publisher(in: dbQueue)
    ///     .sink { completion in … } receiveValue: { db in print("players have changed") }
    /// ```
    ///
    /// The subscriber receives the connection in the access that committed the change, before any other write.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
        DatabasePublishers.DatabaseRegion(observation: self, writer: writer)
    }
}
#endif
