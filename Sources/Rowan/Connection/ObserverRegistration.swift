// An observer on a connection. Registrations are also listed by observer, because an observer can ask to be left alone
// without naming a connection.

/// An observer that was added to a connection.
final class ObserverRegistration {
    private weak var weakObserver: (any TransactionObserver)?
    private var strongObserver: (any TransactionObserver)?
    let extent: Database.TransactionObservationExtent
    private let id: ObjectIdentifier
    private let connection: LocalConnection

    /// Whether the observer ignores changes until the end of the transaction.
    private(set) var isStopped = false

    /// The observer, or nil if it is gone.
    var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    /// The observer, if it observes regions.
    private(set) weak var regionObserver: (any RegionObserver)?

    init(
        _ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent,
        _ connection: LocalConnection
    ) {
        self.extent = extent
        self.connection = connection
        id = ObjectIdentifier(observer)
        regionObserver = observer as? any RegionObserver
        if extent == .observerLifetime { weakObserver = observer } else { strongObserver = observer }
        let entry = Entry(registration: self)
        Self.all.withLock { $0[id, default: []].append(entry) }
    }

    deinit {
        let own = ObjectIdentifier(self)
        Self.all.withLock { all in
            all[id]?.removeAll { $0.id == own }
            if all[id]?.isEmpty == true { all[id] = nil }
        }
    }

    func isRegistration(of observer: any TransactionObserver) -> Bool { self.observer === observer }

    func stop() { isStopped = true }

    /// Ends the observation: nothing more is sent to the observer, not even what waits for it.
    func end() { (weakObserver, strongObserver, regionObserver) = (nil, nil, nil) }

    /// Prepares for the next transaction.
    func restart() { isStopped = false }

    // MARK: By observer

    /// `@unchecked Sendable`: weak references are safe on any thread, and a registration is only used by the
    /// thread that has access to its connection.
    private struct Entry: @unchecked Sendable {
        let id: ObjectIdentifier
        weak var registration: ObserverRegistration?

        init(registration: ObserverRegistration) {
            id = ObjectIdentifier(registration)
            self.registration = registration
        }
    }

    private static let all = Mutex<[ObjectIdentifier: [Entry]]>([:])

    /// The registrations of an observer on the connections that the current thread uses.
    static func registrations(of observer: any TransactionObserver) -> [ObserverRegistration] {
        let entries = all.withLock { $0[ObjectIdentifier(observer)] ?? [] }
        return entries.compactMap(\.registration).filter(\.connection.isAccessible)
    }
}
