// Notices the commits of other connections, of this process and of others, for observers of regions. The kernel tells
// that a file was written; SQLite's counter tells the writing connection whether others have committed.
// Source: https://sqlite.org/pragma.html#pragma_data_version

import Dispatch

/// Watches for commits of others, on behalf of the observers of a connection.
final class OtherProcesses: Sendable {
    private struct State {
        var watcher: FileWatcher?
        /// The value of SQLite's counter that observers know.
        var knownVersion: Int64?
        var schedule = CheckSchedule()
    }

    private let lane: @Sendable () -> AccessLane?
    private let state = Mutex(State())

    /// Starts watching.
    ///
    /// - Throws: the error of the system, or of the connection.
    init(_ db: Database) throws {
        lane = { [weak lane = db.lane] in lane }
        let version = try db.connection.foreignDataVersion()
        let watcher = try FileWatcher(path: db.connection.mainFileName ?? db.path) { [weak self] in
            self?.fileDidChange()
        }
        state.withLock { ($0.watcher, $0.knownVersion) = (watcher, version) }
    }

    private func fileDidChange() {
        if state.withLock({ $0.schedule.fileDidChange() }) { check() }
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
        // If another process holds its lock, the next check will succeed. It learns about a new schema, too.
        guard let version = try? db.connection.foreignDataVersion() else { return }
        do { try db.connection.checkSchema() } catch { return }
        let isChanged = state.withLock { state in
            defer { state.knownVersion = version }
            return state.knownVersion != version
        }
        if isChanged { db.state[TransactionObservers.self]?.othersDidCommit() }
    }

    private func checkLater() {
        guard let pause = state.withLock({ $0.schedule.checkDidEnd() }) else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(pause.delay)) { [weak self] in
            guard let self, state.withLock({ $0.schedule.pauseDidEnd(pause) }) else { return }
            check()
        }
    }
}

/// When the counter is read: after each write to the file, and then at growing intervals. A commit becomes visible after
/// the last write to the file, when the disk has confirmed it.
struct CheckSchedule {
    struct Pause: Equatable {
        /// In milliseconds.
        let delay: Int
        fileprivate let number: Int
    }

    private enum Phase: Equatable {
        case idle
        case checking
        case paused(Pause)
    }

    private var phase = Phase.idle
    private var nextDelay = 1
    private var pauseCount = 0

    private static let maximumDelay = 4096
    /// Writes that follow each other don't cut shorter pauses, and so don't lead to a check each.
    private static let shortestCutDelay = 4

    /// - Returns: whether to check now. Otherwise a check is about to run, and others follow it.
    mutating func fileDidChange() -> Bool {
        nextDelay = 1
        switch phase {
        case .checking: return false
        case .paused(let pause) where pause.delay < Self.shortestCutDelay: return false
        case .paused, .idle:
            phase = .checking
            return true
        }
    }

    /// - Returns: the pause until the next check; nil after the last one.
    mutating func checkDidEnd() -> Pause? {
        guard nextDelay <= Self.maximumDelay else {
            phase = .idle
            return nil
        }
        pauseCount += 1
        let pause = Pause(delay: nextDelay, number: pauseCount)
        nextDelay *= 2
        phase = .paused(pause)
        return pause
    }

    /// - Returns: whether to check now; false if a write has cut the pause.
    mutating func pauseDidEnd(_ pause: Pause) -> Bool {
        guard phase == .paused(pause) else { return false }
        phase = .checking
        return true
    }
}
