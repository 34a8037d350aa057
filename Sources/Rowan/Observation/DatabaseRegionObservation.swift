// Observation of the transactions that change a region, inside the access that commits them.

/// Observes the transactions that change a region.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: Player.all(), Table("team"))
/// let cancellable = observation.start(in: dbQueue) { error in
///     print("can't observe: \(error)")
/// } onChange: { db in
///     print("players or teams have changed")
/// }
/// ```
///
/// The closure runs in the access that committed the change, before any other write.
///
/// Article: <doc:Observation>.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    /// Creates an observation of regions.
    public init(tracking regions: any DatabaseRegionConvertible...) { self.init(tracking: regions) }

    /// Creates an observation of regions.
    public init(tracking regions: [any DatabaseRegionConvertible]) { self.regions = regions }

    /// Starts the observation.
    ///
    /// It waits for the running write. Inside a write, it starts with the changes that follow.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - onError: receives the error of a region that can't be prepared, or of a closed connection. The observation
    ///     then does not start.
    ///   - onChange: receives the connection after each commit that changed the region.
    /// - Returns: the running observation.
    @preconcurrency
    public func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = RegionTransactionObserver(onChange)
        do {
            try writer.unsafeReentrantWrite { db in
                observer.track(try db.connection.unwatched { try DatabaseRegion.union(regions, db) })
                try db.subscribe(observer)
            }
        } catch {
            observer.cancel()
            onError(error)
        }
        return AnyDatabaseCancellable { [weak writer] in
            observer.cancel()
            // Doesn't wait, because the caller may hold another connection.
            writer?.asyncWriteWithoutTransaction { $0.unsubscribe(observer) }
        }
    }
}

/// Detects the transactions that change a region. `@unchecked Sendable`: the region and the flag belong to the access
/// of the connection; the closure has its own lock.
private final class RegionTransactionObserver: ChangeSubscriber, @unchecked Sendable {
    private var region = DatabaseRegion()
    private var isChanged = false
    /// A closure that a lock contains directly gets another layer with each access.
    private struct Receiver {
        var onChange: (@Sendable (Database) -> Void)?
    }

    private let receiver: Mutex<Receiver>

    init(_ onChange: @escaping @Sendable (Database) -> Void) { receiver = Mutex(Receiver(onChange: onChange)) }

    func track(_ region: DatabaseRegion) { self.region = region }

    func cancel() { receiver.withLock { $0.onChange = nil } }

    // The writer may have been released before the cancellation, as with a type erasure.
    var isEnded: Bool { receiver.withLock { $0.onChange == nil } }

    func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest {
        guard region.isModified(byEventsOfKind: kind) else { return .none }
        return region.countsRows(of: table) ? .rows : .region
    }

    func rowDidChange(_ event: DatabaseEvent, _ kind: DatabaseEventKind) {
        if !isChanged, region.isModified(by: event) { isChanged = true }
    }

    func regionDidChange(_ region: DatabaseRegion) {
        if self.region.intersects(region) { isChanged = true }
    }

    func transactionDidEnd(committed: Bool, _ db: Database) {
        defer { isChanged = false }
        guard committed, isChanged, let onChange = receiver.withLock({ $0.onChange }) else { return }
        onChange(db)
    }
}
