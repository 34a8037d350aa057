// The observation of values: what to fetch, which changes cause a new fetch, and how fetched values become delivered
// ones.

/// Observes the results of requests: delivers a first value, then new values when the database changes.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in
///     try Player.order(\.score.desc).limit(10).fetchAll(db)
/// }
/// let cancellable = observation.start(in: dbPool) { error in
///     print("observation failed: \(error)")
/// } onChange: { players in
///     print("best players: \(players)")
/// }
/// ```
///
/// An observation may deliver the same value twice, and may skip values if changes follow each other quickly. The last
/// change is always delivered. Copies of one `ValueObservation` share their fetches.
///
/// An observation stops at its first error, when it is cancelled, or when its cancellable is deallocated. Until then,
/// it retains its database.
///
/// Article: <doc:Observation>.
public struct ValueObservation<Reducer: _ValueReducer>: Sendable {
    let source: FetchSource<Reducer.Fetched>
    let makeReducer: @Sendable () -> Reducer
    var events = ObservationEvents()
    var pace = ObservationPace()

    /// Whether the fetching closure may write. If so, it runs in a transaction of the writing connection.
    public var requiresWriteAccess = false

    init(source: FetchSource<Reducer.Fetched>, makeReducer: @escaping @Sendable () -> Reducer) {
        self.source = source
        self.makeReducer = makeReducer
    }

    /// The same observation, with another reducer.
    func with<T: _ValueReducer>(
        _ makeReducer: @escaping @Sendable (Reducer) -> T
    ) -> ValueObservation<T> where T.Fetched == Reducer.Fetched {
        let base = self.makeReducer
        var observation = ValueObservation<T>(source: source) { makeReducer(base()) }
        observation.requiresWriteAccess = requiresWriteAccess
        observation.events = events
        observation.pace = pace
        return observation
    }
}

/// What an observation fetches. Observations with the same source share their fetches.
final class FetchSource<Fetched: Sendable>: Sendable {
    /// The changes that cause a new fetch.
    enum Tracking: Sendable {
        /// Changes to what the last fetch has read.
        case varying
        /// Changes to what the first fetch has read.
        case constant
        /// Changes to these regions.
        case regions([any DatabaseRegionConvertible])
    }

    let tracking: Tracking
    var isVarying: Bool { if case .varying = tracking { true } else { false } }
    let fetch: @Sendable (Database) throws -> Fetched

    init(_ tracking: Tracking, _ fetch: @escaping @Sendable (Database) throws -> Fetched) {
        self.tracking = tracking
        self.fetch = fetch
    }
}

// MARK: - Creating

extension ValueObservation {
    /// Creates an observation that fetches again when a transaction changes what the closure has read.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in
    ///     try Player.fetchCount(db)
    /// }
    /// ```
    ///
    /// The closure may read other tables each time.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<Reducer> where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(source: FetchSource(.varying, fetch)) { ValueReducers.Fetch() }
    }

    /// Creates an observation of a closure that always reads the same tables, columns and rows.
    ///
    /// - Precondition: all fetches read the same region as the first fetch. Otherwise, changes are missed.
    @preconcurrency
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<Reducer> where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(source: FetchSource(.constant, fetch)) { ValueReducers.Fetch() }
    }

    /// Creates an observation that fetches again when a transaction changes one of the regions, regardless of what the
    /// closure reads.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking(region: Player.select(\.score).filter(id: 1)) { db in
    ///     try Player.fetchOne(db, id: 1)
    /// }
    /// ```
    @preconcurrency
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<Reducer> where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Creates an observation that fetches again when a transaction changes one region of an array.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        regions: [any DatabaseRegionConvertible], fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<Reducer> where Reducer == ValueReducers.Fetch<Value> {
        ValueObservation(source: FetchSource(.regions(regions), fetch)) { ValueReducers.Fetch() }
    }
}
