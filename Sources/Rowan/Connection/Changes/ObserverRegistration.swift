// An observer on a connection. Registrations are also listed by observer, because an observer can ask to be left alone
// without naming a connection.

/// An observer that was added to a connection.
final class ObserverRegistration {
    private weak var weakObserver: (any TransactionObserver)?
    private var strongObserver: (any TransactionObserver)?
    let extent: Database.TransactionObservationExtent
    private let id: ObjectIdentifier

    /// Whether the observer ignores changes: until the end of the transaction, or for ever.
    var isStopped: Bool { pause.isStopped || pause.isEnded }
    private let pause: Pause

    /// The observer, or nil if it is gone.
    var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    /// The observer, if it observes regions.
    var regionObserver: (any RegionObserver)? { isRegionObserver ? strongRegionObserver ?? weakRegionObserver : nil }
    private weak var weakRegionObserver: (any RegionObserver)?
    private var strongRegionObserver: (any RegionObserver)?
    private let isRegionObserver: Bool

    /// The observer, if it receives the values of rows.
    var preUpdateObserver: (any PreUpdateObserver)? {
        isPreUpdateObserver ? observer as? any PreUpdateObserver : nil
    }
    let isPreUpdateObserver: Bool

    /// The observer, in the way that it receives changes; nil if it is gone.
    var receiver: Receiver? {
        isRegionObserver ? regionObserver.map { .regions($0) } : observer.map { .events($0) }
    }

    /// An observer, and what it is told.
    enum Receiver {
        case events(any TransactionObserver)
        case regions(any RegionObserver)
    }

    init(
        _ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent,
        _ connection: LocalConnection
    ) {
        self.extent = extent
        pause = Pause(connection)
        id = ObjectIdentifier(observer)
        let regionObserver = observer as? any RegionObserver
        isRegionObserver = regionObserver != nil
        isPreUpdateObserver = observer is any PreUpdateObserver
        strongRegionObserver = extent == .observerLifetime ? nil : regionObserver
        weakRegionObserver = regionObserver
        if extent == .observerLifetime { weakObserver = observer } else { strongObserver = observer }
        let entry = pause
        Self.all.withLock { $0[id, default: []].append(entry) }
    }

    deinit {
        let own = pause
        Self.all.withLock { all in
            all[id]?.removeAll { $0 === own }
            if all[id]?.isEmpty == true { all[id] = nil }
        }
    }

    func isRegistration(of observer: any TransactionObserver) -> Bool { self.observer === observer }

    /// Ends the observation: nothing more is sent to the observer, not even what waits for it.
    func end() {
        pause.isEnded = true
        (weakObserver, strongObserver, weakRegionObserver, strongRegionObserver) = (nil, nil, nil, nil)
    }

    /// Prepares for the next transaction.
    func restart() { pause.isStopped = false }

    // MARK: By observer

    /// Whether a registration is stopped. The list of all registrations holds these, rather than weak references, which
    /// would make each use of a registration slower.
    ///
    /// `@unchecked Sendable`: it is only used by the thread that has access to the connection.
    final class Pause: @unchecked Sendable {
        fileprivate let connection: LocalConnection
        fileprivate var isStopped = false
        fileprivate var isEnded = false

        fileprivate init(_ connection: LocalConnection) { self.connection = connection }

        func stop() { isStopped = true }
    }

    private static let all = Mutex<[ObjectIdentifier: [Pause]]>([:])

    /// The registrations of an observer on the connections that the current thread uses.
    static func registrations(of observer: any TransactionObserver) -> [Pause] {
        let pauses = all.withLock { $0[ObjectIdentifier(observer)] ?? [] }
        return pauses.filter(\.connection.isAccessible)
    }
}
