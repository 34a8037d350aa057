// Models of observed rows, for user interfaces, on every platform.

public import Observation
public import Rowan

/// The rows of a request, as a model that a user interface observes. It needs no SwiftUI.
///
/// ```swift
/// let players = ObservedQuery(dbPool, Player.order(\.score.desc))
/// withObservationTracking {
///     show(players.value)
/// } onChange: {
///     // One of the read properties is about to change.
/// }
/// ```
///
/// The first value is there when the initializer returns. Later ones are fetched in the background, and delivered on the
/// main actor. The observation ends with the model.
///
/// Article: <doc:ObservedModels>.
@MainActor @Observable
public final class ObservedQuery<Element: FetchableRecord & Sendable> {
    /// The rows. After an error or a changed request, the previous ones stay until there are others.
    public private(set) var value: [Element] = []

    /// The error that has ended the observation; nil if it runs. ``reload()`` starts it again.
    public private(set) var error: (any Error)?

    /// Whether the rows of the current request have not yet been fetched.
    public private(set) var isLoading = false

    /// Whether the request has more rows than those that are loaded. False without pages.
    public private(set) var hasMore = false

    /// The request. A new one ends the observation of the old one, and begins with its first page.
    public var request: QueryInterfaceRequest<Element> {
        didSet {
            loadedCount = pageSize
            start(immediately: false)
        }
    }

    @ObservationIgnored private let database: any DatabaseReader
    @ObservationIgnored private let pageSize: Int?
    @ObservationIgnored private var loadedCount: Int?
    @ObservationIgnored private var observation: AnyDatabaseCancellable?
    /// The number of observations so far: what an earlier one has still delivered is dropped.
    @ObservationIgnored private var generation = 0
    /// Receive the new rows. They return false once they need no more.
    @ObservationIgnored private var listeners: [([Element]) -> Bool] = []

    /// Starts the observation of a request.
    ///
    /// - Parameters:
    ///   - database: a pool, a queue, or a snapshot.
    ///   - request: the request, which selects no more rows than it has to.
    ///   - pageSize: how many rows are loaded at first, and added by ``loadMore()``; nil for all. The request must have
    ///     no limit of its own.
    ///   - isImmediate: whether to fetch the first value before the initializer returns, which blocks the main actor.
    /// - Precondition: the page size is positive.
    public init(
        _ database: any DatabaseReader, _ request: QueryInterfaceRequest<Element>, pageSize: Int? = nil,
        isImmediate: Bool = true
    ) {
        precondition(pageSize ?? 1 > 0, "a page has at least one row")
        // The number of loaded rows must not overflow.
        let pageSize = pageSize.map { min($0, 1 << 32) }
        (self.database, self.request, self.pageSize, loadedCount) = (database, request, pageSize, pageSize)
        start(immediately: isImmediate)
    }

    /// Loads another page, if there are more rows. It arrives together with the rows that are already loaded, which are
    /// fetched again.
    public func loadMore() {
        guard hasMore, !isLoading, let loadedCount, let pageSize else { return }
        self.loadedCount = loadedCount + pageSize
        start(immediately: false)
    }

    /// Starts the observation again, after an error.
    public func reload() { start(immediately: false) }

    private func start(immediately: Bool) {
        observation?.cancel()
        generation += 1
        let generation = generation
        isLoading = true
        // One more row shows whether there are more.
        let request = loadedCount.map { self.request.limit($0 + 1) } ?? self.request
        let tracked = ValueObservation.tracking { db in try request.fetchAll(db) }
        let onError: @MainActor @Sendable (any Error) -> Void = { [weak self] in self?.receive($0, generation) }
        let onChange: @MainActor @Sendable ([Element]) -> Void = { [weak self] in self?.receive($0, generation) }
        observation =
            immediately
            ? tracked.start(in: database, scheduling: .immediate, onError: onError, onChange: onChange)
            : tracked.start(in: database, scheduling: .mainActor, onError: onError, onChange: onChange)
    }

    private func receive(_ rows: [Element], _ generation: Int) {
        guard generation == self.generation else { return }
        let count = loadedCount ?? rows.count
        value = rows.count > count ? Array(rows.prefix(count)) : rows
        hasMore = rows.count > count
        (error, isLoading) = (nil, false)
        listeners.removeAll { !$0(value) }
    }

    private func receive(_ error: any Error, _ generation: Int) {
        guard generation == self.generation else { return }
        (self.error, isLoading) = (error, false)
    }

    /// Passes the rows to a listener, now and after each change.
    func addListener(_ listener: @escaping ([Element]) -> Bool) {
        if listener(value) { listeners.append(listener) }
    }
}
