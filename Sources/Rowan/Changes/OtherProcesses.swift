// Detects commits by other connections, in this process and others, for observers of regions. The kernel reports that a
// file was written; on the writing connection, SQLite's counters show whether others have committed.
// Source: https://sqlite.org/pragma.html#pragma_data_version

import Dispatch
import RowanPlatform

/// Watches for commits by others, on behalf of a connection's subscribers.
final class OtherProcesses: Sendable {
    private struct State {
        /// The watchers of the main and attached databases, by the path of the file.
        var watchers: [String: FileWatcher] = [:]
        /// The values of SQLite's counters already reported to the subscribers, by schema.
        var knownVersions: [String: Int64] = [:]
        var schedule = CheckSchedule()
    }

    private let lane: @Sendable () -> AccessLane?
    private let state = Mutex(State())

    /// Starts watching.
    ///
    /// - Throws: the error of the system or the connection.
    init(_ db: Database) throws {
        lane = { [weak lane = db.lane] in lane }
        let versions = try db.connection.foreignDataVersions()
        state.withLock { $0.knownVersions = versions }
        try watch(db)
    }

    /// Watches the files of the currently attached databases.
    func watch(_ db: Database) throws {
        let paths = Set(try db.connection.databaseFiles().values)
        let added = state.withLock { state in
            state.watchers = state.watchers.filter { paths.contains($0.key) }
            return paths.subtracting(state.watchers.keys)
        }
        // The databases of a virtual file system may not be files whose writes the kernel reports, so they are polled.
        let files = added.filter(FileManager.default.fileExists)
        if db.configuration.vfs != nil || files != added || db.connection.abilities.asksForCommits {
            startPolling(every: db.configuration.pollingInterval)
        }
        for path in files {
            let watcher = try FileWatcher(path: path) { [weak self] in self?.fileDidChange() }
            state.withLock { $0.watchers[path] = watcher }
        }
        // Commits made before the file was attached are not reported.
        let versions = try db.connection.foreignDataVersions()
        state.withLock { state in
            for (schema, version) in versions where state.knownVersions[schema] == nil {
                state.knownVersions[schema] = version
            }
            state.knownVersions = state.knownVersions.filter { versions[$0.key] != nil }
        }
    }

    /// Polls while there are observers, rather than checking after writes.
    private func startPolling(every interval: Duration?) {
        let starts = state.withLock { state in
            defer { state.schedule.isEndless = true }
            state.schedule.fixedDelay = interval.map {
                Int(min(max($0, .milliseconds(1)), .seconds(3_600)) / .milliseconds(1))
            }
            return !state.schedule.isEndless
        }
        if starts { checkLater() }
    }

    private func fileDidChange() {
        if state.withLock({ $0.schedule.fileDidChange() }) { check() }
    }

    /// Schedules an access that reads the counter.
    private func check() {
        guard let lane = lane() else { return }
        AccessRoute(lane: lane, scope: .plain).callback { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let db): notifyChanges(db)
            // On a closed connection, nothing is observed any more. Other failures are temporary.
            case .failure(let error): guard (error as? DatabaseError)?.resultCode != .SQLITE_MISUSE else { return }
            }
            checkLater()
        }
    }

    private func notifyChanges(_ db: Database) {
        // If another process holds its lock, the next check will succeed. It will also detect a new schema.
        guard let versions = try? db.connection.foreignDataVersions() else { return }
        do { try db.connection.checkSchema() } catch { return }
        let isChanged = state.withLock { state in
            defer { state.knownVersions = versions }
            return state.knownVersions != versions
        }
        if isChanged { db.state[ChangeTracker.self]?.othersDidCommit() }
    }

    private func checkLater() {
        guard let pause = state.withLock({ $0.schedule.checkDidEnd() }) else { return }
        onOtherThread(at: .now() + .milliseconds(pause.delay), qos: .utility) { [weak self] in
            guard let self, state.withLock({ $0.schedule.pauseDidEnd(pause) }) else { return }
            check()
        }
    }
}

/// The schedule for reading the counters: after each write to a file, then at increasing intervals. A commit becomes
/// visible after the last write to the file, once the disk has confirmed it, which may take long.
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
    /// Whether checks never stop, because writes are not reported.
    var isEndless = false
    /// The pause between two checks, if constant.
    var fixedDelay: Int?
    private var nextDelay = 1
    /// The sum of the delays since the last write.
    private var totalDelay = 0
    private var pauseCount = 0

    private static let maximumDelay = 2048
    /// Ten minutes: a disk that takes longer has failed.
    private static let maximumTotalDelay = 600_000
    /// Consecutive writes don't cut shorter pauses, and so don't each cause a check.
    private static let shortestCutDelay = 4

    /// - Returns: whether to check now. Otherwise a check is about to run, followed by others.
    mutating func fileDidChange() -> Bool {
        (nextDelay, totalDelay) = (1, 0)
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
        guard isEndless || totalDelay <= Self.maximumTotalDelay else {
            phase = .idle
            return nil
        }
        pauseCount += 1
        let pause = Pause(delay: fixedDelay ?? nextDelay, number: pauseCount)
        totalDelay &+= nextDelay
        nextDelay = min(2 * nextDelay, Self.maximumDelay)
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
