// Notices the commits of other connections, of this process and of others, for observers of regions. The kernel tells
// that a file was written; SQLite's counter tells the writing connection whether others have committed.
// Source: https://sqlite.org/pragma.html#pragma_data_version

import Dispatch

/// Watches for commits of others, on behalf of the observers of a connection.
final class OtherProcesses: Sendable {
    private struct State {
        var watcher: FileWatcher?
        /// The value of SQLite's counter that observers know.
        var knownVersion: UInt32?
        /// Whether an access that reads the counter is scheduled.
        var isScheduled = false
        /// The time until the next access, in milliseconds.
        var delay = 1
    }

    private let lane: @Sendable () -> AccessLane?
    private let state = Mutex(State())

    /// A commit becomes visible after the last write to the file, when the disk has confirmed it. The counter is read
    /// at growing intervals, up to this one, in milliseconds.
    private static let maximumDelay = 512

    /// Starts watching.
    ///
    /// - Throws: the error of the system, or of the connection.
    init(_ db: Database) throws {
        lane = { [weak lane = db.lane] in lane }
        try db.connection.checkSchema()
        let version = db.connection.lastDataVersion
        let watcher = try FileWatcher(path: db.connection.mainFileName ?? db.path) { [weak self] in
            self?.fileDidChange()
        }
        state.withLock { ($0.watcher, $0.knownVersion) = (watcher, version) }
    }

    private func fileDidChange() {
        let isScheduled = state.withLock { state in
            state.delay = 1
            defer { state.isScheduled = true }
            return state.isScheduled
        }
        if !isScheduled { check() }
    }

    /// Schedules an access that reads the counter.
    private func check() {
        guard let lane = lane() else { return }
        DatabaseAccessRoute(lane: lane, scope: .plain).callback { [weak self] result in
            // Without a connection, nothing is observed any more.
            guard let self, let db = try? result.get() else { return }
            notifyChanges(db)
            checkLater()
        }
    }

    private func notifyChanges(_ db: Database) {
        // A read updates the counter. If it fails because another process holds its lock, the next one will succeed.
        do { try db.connection.checkSchema() } catch { return }
        let version = db.connection.lastDataVersion
        let isChanged = state.withLock { state in
            defer { state.knownVersion = version }
            return state.knownVersion != version
        }
        if isChanged { db.state[TransactionObservers.self]?.othersDidCommit() }
    }

    private func checkLater() {
        let delay = state.withLock { state -> Int? in
            guard state.delay <= Self.maximumDelay else {
                state.isScheduled = false
                return nil
            }
            defer { state.delay *= 2 }
            return state.delay
        }
        guard let delay else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
            self?.check()
        }
    }
}
