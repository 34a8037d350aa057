// The observation of the transactions that change a region, inside the access that commits them.

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
/// The closure runs in the access that has committed the change, before any other write.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    /// Creates an observation of regions.
    public init(tracking regions: any DatabaseRegionConvertible...) { self.init(tracking: regions) }

    /// Creates an observation of regions.
    public init(tracking regions: [any DatabaseRegionConvertible]) { self.regions = regions }

    /// Starts the observation.
    ///
    /// It waits for the running write. Inside a write, it begins with the changes that follow.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - onError: receives the error of a region that can't be prepared, or of a closed connection. The observation
    ///     then does not start.
    ///   - onChange: receives the connection after each commit that has changed the region.
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
                try db.add(regionObserver: observer)
            }
        } catch {
            observer.cancel()
            onError(error)
        }
        return AnyDatabaseCancellable { [weak writer] in
            observer.cancel()
            // Without waiting: the caller may hold another connection.
            writer?.asyncWriteWithoutTransaction { $0.remove(transactionObserver: observer) }
        }
    }
}

/// Notices the transactions that change a region. `@unchecked Sendable`: the region and the flag belong to the access of
/// the connection; the closure has its own lock.
private final class RegionTransactionObserver: RegionObserver, @unchecked Sendable {
    private var region = DatabaseRegion()
    private var isChanged = false
    private let onChange: Mutex<(@Sendable (Database) -> Void)?>

    init(_ onChange: @escaping @Sendable (Database) -> Void) { self.onChange = Mutex(onChange) }

    func track(_ region: DatabaseRegion) { self.region = region }

    func cancel() { onChange.withLock { $0 = nil } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { region.isModified(byEventsOfKind: eventKind) }

    func databaseDidChange(with event: DatabaseEvent, of kind: DatabaseEventKind) {
        guard region.isModified(by: event) else { return }
        isChanged = true
        stopObservingDatabaseChangesUntilNextTransaction()
    }

    func databaseDidChange(in region: DatabaseRegion) {
        if self.region.intersects(region) { isChanged = true }
    }

    func databaseDidCommit(_ db: Database) {
        guard let onChange = onChange.withLock({ $0 }) else {
            // The program may have released the writer before: an AnyDatabaseWriter, for example.
            return db.remove(transactionObserver: self)
        }
        guard isChanged else { return }
        isChanged = false
        onChange(db)
    }

    func databaseDidRollback(_ db: Database) { isChanged = false }
}
