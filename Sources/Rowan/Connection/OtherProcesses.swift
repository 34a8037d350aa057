// Notices the commits of other connections, of this process and of others, for observers of regions. The kernel tells
// that a file was written; SQLite's counter tells the writing connection whether others have committed.
// Source: https://sqlite.org/pragma.html#pragma_data_version

import Dispatch

/// Watches for commits of others, on behalf of the observers of a connection. It is used in the accesses of the
/// connection, except for `check`.
final class OtherProcesses: Sendable {
    private struct State {
        var watcher: FileWatcher?
        /// The value of SQLite's counter that observers know.
        var knownVersion: UInt32?
        /// Whether an access is scheduled, which will read the counter.
        var isChecking = false
    }

    private let lane: @Sendable () -> AccessLane?
    private let state = Mutex(State())

    /// Starts watching.
    ///
    /// - Throws: the error of the system, or of the connection.
    init(_ db: Database) throws {
        lane = { [weak lane = db.lane] in lane }
        try db.refreshDataVersion()
        let version = db.connection.lastDataVersion
        let watcher = try FileWatcher(path: db.connection.mainFileName ?? db.path) { [weak self] in self?.check() }
        state.withLock { ($0.watcher, $0.knownVersion) = (watcher, version) }
    }

    /// Schedules an access that reads the counter.
    private func check(attempt: Int = 1) {
        let isNeeded = state.withLock { state in
            defer { state.isChecking = true }
            return !state.isChecking || attempt > 1
        }
        guard isNeeded, let lane = lane() else { return }
        DatabaseAccessRoute(lane: lane, scope: .plain).callback { [weak self] result in
            // Without a connection, nothing is observed any more.
            guard let self, let db = try? result.get() else { return }
            if !notifyChanges(db) { checkLater(attempt) }
        }
    }

    /// - Returns: false if the counter can't be read now: the other process may still hold its lock.
    private func notifyChanges(_ db: Database) -> Bool {
        // Before the counter is read: what is written afterwards is checked again.
        state.withLock { $0.isChecking = false }
        do { try db.refreshDataVersion() } catch { return false }
        let version = db.connection.lastDataVersion
        let isChanged = state.withLock { state in
            defer { state.knownVersion = version }
            return state.knownVersion != version
        }
        if isChanged { db.state[TransactionObservers.self]?.othersDidCommit() }
        return true
    }

    private func checkLater(_ attempt: Int) {
        state.withLock { $0.isChecking = true }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(min(attempt * 2, 50))) {
            [weak self] in self?.check(attempt: attempt + 1)
        }
    }
}

extension Database {
    /// Reads the database, which updates SQLite's counter of the commits of others.
    fileprivate func refreshDataVersion() throws {
        // In an access that was cancelled, or in a transaction, the counter is read later.
        try connection.checkSchema()
    }
}
