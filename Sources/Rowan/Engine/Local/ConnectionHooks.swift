// The single owner of SQLite's hooks. SQLite accepts one callback per hook, which any number of listeners can share
// here. A hook is installed only while it has a listener, so hooks without listeners cost nothing.

import RowanSQLite

/// The listeners of a connection.
package final class ConnectionHooks {
    /// Identifies a listener, for removing it.
    package struct Token: Hashable, Sendable { fileprivate let number: Int }

    /// A trace event: its kind, the C statement, and data specific to the kind.
    package typealias Trace = (CUnsignedInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
    /// Called before a commit. Returning false turns it into a rollback.
    package typealias Commit = () -> Bool
    package typealias Rollback = () -> Void
    /// A row has changed: the operation, the schema, the table, the rowid. <https://sqlite.org/c3ref/update_hook.html>
    package typealias Update = (CInt, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64) -> Void
    /// A row is about to change.
    package typealias Preupdate = (PreUpdateRow) -> Void
    /// A lock is unavailable, after a number of attempts. Returning true retries.
    package typealias Busy = (CInt) -> Bool
    /// Called after a number of a statement's instructions. Returning false interrupts it.
    package typealias Progress = () -> Bool

    private let connection: SQLiteConnection
    private let recorder = ProfileRecorder()
    /// The statements that run remotely, if any.
    @exclusivity(unchecked) var remoteStatements: RemoteStatements?
    private var lastNumber = 0
    @exclusivity(unchecked) fileprivate var silence = 0
    /// Positive while SQLite calls the program during a step: a function, a collation, a trace.
    @exclusivity(unchecked) private(set) var callDepth = 0

    @exclusivity(unchecked) fileprivate var traces: [(Token, events: CUnsignedInt, Trace)] = []
    @exclusivity(unchecked) fileprivate var commits: [(Token, Commit)] = []
    @exclusivity(unchecked) fileprivate var rollbacks: [(Token, Rollback)] = []
    @exclusivity(unchecked) fileprivate var updates: [(Token, Update)] = []
    @exclusivity(unchecked) fileprivate var preupdates: [(Token, Preupdate)] = []
    @exclusivity(unchecked) fileprivate var busies: [(Token, Busy)] = []
    @exclusivity(unchecked) fileprivate var progresses: [(Token, Progress)] = []

    init(_ connection: SQLiteConnection) throws {
        self.connection = connection
        let code = recorder.install(in: connection)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Runs the closure, which compiles a statement, and records what the statement accesses.
    ///
    /// - Parameter refusingPragmas: whether a pragma that changes state fails with SQLITE_AUTH.
    func recordingProfile<T>(
        refusingPragmas: Bool, _ compile: () throws -> T
    ) rethrows -> (result: T, profile: StatementProfile) {
        try recorder.recording(refusingPragmas: refusingPragmas, compile)
    }

    /// The actions that the connection refuses, if its SQL is untrusted.
    package var restriction: SQLRestriction? {
        get { recorder.restriction }
        set { recorder.restriction = newValue }
    }

    /// Runs the first step of a statement, which SQLite may compile again.
    func starting<T>(_ statement: SQLiteStatement, _ step: () throws -> T) rethrows -> T {
        let outer = recorder.startingStatement
        recorder.startingStatement = statement
        defer { recorder.startingStatement = outer }
        return try step()
    }

    /// What the modules of virtual tables must not do, if the file is untrusted.
    var moduleRestriction: SQLRestriction? {
        get { recorder.moduleRestriction }
        set { recorder.moduleRestriction = newValue }
    }

    /// The scope of the current access, if it has one.
    var scope: ScopeRestriction? {
        get { recorder.scope }
        set { recorder.scope = newValue }
    }

    /// Whether a view of the schema joins tables by the names of their columns.
    @exclusivity(unchecked) var viewsJoinByName: (value: Bool, epoch: Int)?

    /// The random prefix of all names that belong to scopes: who knows it can read everything.
    private(set) lazy var scopeSecret = ScopeRestriction.makeSecret()
    /// Whether the connection has had a scope.
    @exclusivity(unchecked) var hasScopes = false

    /// The triggers that remain between accesses, by their scopes.
    @exclusivity(unchecked) var keptTriggers: [(scope: Int, epoch: Int, names: [String])] = []

    /// Sets whether a DELETE without a condition empties its table at once, without reporting the deleted rows.
    func truncatesTables(_ truncates: Bool) {
        guard recorder.truncatesTables != truncates else { return }
        recorder.truncatesTables = truncates
        expireStatements()
    }

    /// Makes SQLite compile all statements again when they next run: installing the authorizer expires them.
    package func expireStatements() { _ = recorder.install(in: connection) }

    /// Runs the closure without traces, because Rowan's own schema queries must not be visible to the program.
    func silently<T>(_ body: () throws -> T) rethrows -> T {
        silence += 1
        defer { silence -= 1 }
        return try body()
    }

    /// Whether traces are currently suppressed.
    var isSilent: Bool { silence > 0 }

    /// Runs the closure, which SQLite calls during a step. It must not reset any statement, because the calling
    /// statement may be among them.
    package func calling<T>(_ body: () -> T) -> T {
        callDepth += 1
        defer { callDepth -= 1 }
        return body()
    }

    // MARK: Listening

    /// - Parameter events: the kinds of events, such as SQLITE_TRACE_STMT.
    package func onTrace(_ events: CUnsignedInt, _ listener: @escaping Trace) -> Token {
        let token = newToken()
        traces.append((token, events, listener))
        installTrace()
        return token
    }

    /// Calls the closure with the SQL of each statement that starts.
    package func onStart(_ listener: @escaping (String) -> Void) {
        let statements = { [unowned self] in remoteStatements }
        _ = onTrace(CUnsignedInt(SQLITE_TRACE_STMT)) { _, statement, _ in
            guard let handle = statement.map(SQLiteStatement.init) else { return }
            listener(
                ProxyText(handle, statements())?.sql ?? sqlite3_sql(handle).map { String(cString: $0) } ?? "")
        }
    }

    package func onCommit(_ listener: @escaping Commit) -> Token { add(listener, to: \.commits, installCommit) }
    package func onRollback(_ listener: @escaping Rollback) -> Token { add(listener, to: \.rollbacks, installRollback) }
    package func onUpdate(_ listener: @escaping Update) -> Token { add(listener, to: \.updates, installUpdate) }

    /// - Returns: nil if this SQLite was built without the pre-update hook.
    package func onPreupdate(_ listener: @escaping Preupdate) -> Token? {
        guard PreUpdateRow.isSupported else { return nil }
        return add(listener, to: \.preupdates, installPreupdate)
    }

    /// Adds a listener. Listeners are called in order until one returns false.
    package func onBusy(_ listener: @escaping Busy) -> Token { add(listener, to: \.busies, installBusy) }
    /// Adds a listener. Listeners are called in order until one returns false.
    package func onProgress(_ listener: @escaping Progress) -> Token {
        // Without a key path, for speed: each asynchronous access runs this.
        let token = newToken()
        progresses.append((token, listener))
        installProgress()
        return token
    }

    /// Runs the closure, with this handler as the only one called for locks.
    package func waitingForLocks<T>(with handler: @escaping Busy, _ body: () -> T) -> T {
        // The program may have replaced the handler with `PRAGMA busy_timeout`.
        let timeout = busyTimeout
        let listeners = busies
        busies = [(newToken(), handler)]
        installBusy()
        defer {
            busies = listeners
            installBusy()
            setBusyTimeout(timeout)
        }
        return body()
    }

    /// Calls the lock handlers, which pause, to decide whether to retry.
    func waitsForLock(after pauseCount: Int) -> Bool {
        !busies.isEmpty && busies.allSatisfy { $0.1(CInt(clamping: pauseCount)) }
    }

    /// Replaces the handler with a timeout, as `PRAGMA busy_timeout` does; 0 keeps the handler.
    func setBusyTimeout(_ milliseconds: CInt) {
        if milliseconds > 0 { sqlite3_busy_timeout(connection, milliseconds) }
    }

    /// The timeout of `PRAGMA busy_timeout`, in milliseconds; 0 if a handler decides.
    var busyTimeout: CInt {
        silently {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(connection, "PRAGMA busy_timeout", -1, &statement, nil) == SQLITE_OK,
                sqlite3_step(statement) == SQLITE_ROW
            else { return 0 }
            return sqlite3_column_int(statement, 0)
        }
    }

    package func remove(_ token: Token) {
        // Only this listener's hook is reinstalled: the program may have replaced others, as `PRAGMA busy_timeout`
        // does.
        if drop(token, from: &traces, { $0.0 }) { return installTrace() }
        if drop(token, from: &progresses, { $0.0 }) { return installProgress() }
        if drop(token, from: &busies, { $0.0 }) { return installBusy() }
        if drop(token, from: &commits, { $0.0 }) { return installCommit() }
        if drop(token, from: &rollbacks, { $0.0 }) { return installRollback() }
        if drop(token, from: &updates, { $0.0 }) { return installUpdate() }
        if drop(token, from: &preupdates, { $0.0 }) { return installPreupdate() }
    }

    private func drop<Entry>(_ token: Token, from entries: inout [Entry], _ tokenOf: (Entry) -> Token) -> Bool {
        guard let index = entries.firstIndex(where: { tokenOf($0) == token }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Reinstalls the busy handler after `PRAGMA busy_timeout` has replaced it.
    func reinstallBusy() { installBusy() }

    /// Removes all listeners: called when the connection is about to close.
    func removeAll() {
        (traces, commits, rollbacks, updates, preupdates, busies, progresses) = ([], [], [], [], [], [], [])
        installAll()
    }

    private func add<Listener>(
        _ listener: Listener, to list: ReferenceWritableKeyPath<ConnectionHooks, [(Token, Listener)]>,
        _ install: () -> Void
    ) -> Token {
        let token = newToken()
        self[keyPath: list].append((token, listener))
        install()
        return token
    }

    private func newToken() -> Token {
        lastNumber += 1
        return Token(number: lastNumber)
    }
}

// MARK: - The C hooks

extension ConnectionHooks {
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private func installAll() {
        installTrace()
        installCommit()
        installRollback()
        installUpdate()
        installPreupdate()
        installBusy()
        installProgress()
    }

    private func installTrace() {
        let events = traces.reduce(0) { $0 | $1.events }
        guard events != 0 else {
            sqlite3_trace_v2(connection, 0, nil, nil)
            return
        }
        sqlite3_trace_v2(
            connection, events,
            { event, context, statement, detail in
                let hooks = listeners(context)
                guard hooks.silence == 0 else { return SQLITE_OK }
                hooks.calling {
                    for (_, events, listener) in hooks.traces where events & event != 0 {
                        listener(event, statement, detail)
                    }
                }
                return SQLITE_OK
            }, context)
    }

    private func installCommit() {
        guard !commits.isEmpty else {
            sqlite3_commit_hook(connection, nil, nil)
            return
        }
        sqlite3_commit_hook(
            connection, { context in listeners(context).commits.allSatisfy { $0.1() } ? 0 : 1 }, context)
    }

    private func installRollback() {
        guard !rollbacks.isEmpty else {
            sqlite3_rollback_hook(connection, nil, nil)
            return
        }
        sqlite3_rollback_hook(
            connection, { context in for (_, listener) in listeners(context).rollbacks { listener() } }, context)
    }

    private func installUpdate() {
        guard !updates.isEmpty else {
            sqlite3_update_hook(connection, nil, nil)
            return
        }
        sqlite3_update_hook(
            connection,
            { context, operation, schema, table, rowID in
                for (_, listener) in listeners(context).updates { listener(operation, schema, table, rowID) }
            }, context)
    }

    private func installPreupdate() {
        guard PreUpdateRow.isSupported else { return }
        guard !preupdates.isEmpty else {
            rowan_preupdate_hook(connection, nil, nil)
            return
        }
        rowan_preupdate_hook(
            connection,
            { context, connection, operation, schema, table, oldRowID, newRowID in
                guard
                    let row = PreUpdateRow(
                        connection, operation, schema, table, initialRowID: oldRowID, finalRowID: newRowID)
                else { return }
                for (_, listener) in listeners(context).preupdates { listener(row) }
            }, context)
    }

    private func installBusy() {
        guard !busies.isEmpty else {
            sqlite3_busy_handler(connection, nil, nil)
            return
        }
        sqlite3_busy_handler(
            connection, { context, count in listeners(context).busies.allSatisfy { $0.1(count) } ? 1 : 0 }, context)
    }

    private func installProgress() {
        guard !progresses.isEmpty else {
            sqlite3_progress_handler(connection, 0, nil, nil)
            return
        }
        sqlite3_progress_handler(
            connection, Self.instructionsPerProgress,
            { context in listeners(context).progresses.allSatisfy { $0.1() } ? 0 : 1 }, context)
    }

    /// Corresponds to a few microseconds of a running statement.
    private static let instructionsPerProgress: CInt = 500
}

private func listeners(_ context: UnsafeMutableRawPointer?) -> ConnectionHooks {
    // Invariant: the connection removes all listeners, and thus the C hooks, before it releases this object.
    Unmanaged<ConnectionHooks>.fromOpaque(context!).takeUnretainedValue()
}
