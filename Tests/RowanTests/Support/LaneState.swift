// The accesses that wait for the connections of a queue or pool: a test that needs a waiting access waits until there
// is one.

@testable import Rowan

extension DatabaseReader {
    /// The number of accesses of a kind waiting for a connection.
    func waitingCount(_ route: KeyPath<DatabaseAccessRoutes, AccessRoute>) -> Int {
        let lane = _routes[keyPath: route].lane
        return lane.state.withLock { $0.waiters.count } + lane.groupedWrites.waitingCount
    }

    /// Whether an access holds all connections of a kind, or waits for them.
    func isExclusive(_ route: KeyPath<DatabaseAccessRoutes, AccessRoute>) -> Bool {
        _routes[keyPath: route].lane.state.withLock { $0.exclusive != nil }
    }
}
