// An access observed by instruments, from the program's request until it finishes, and the instruments of a queue or
// pool.

import Synchronization

/// The instruments of a queue, a pool or a snapshot.
final class DatabaseInstruments: Sendable {
    private let instruments: [any DatabaseInstrument]
    /// The description of the database for instruments. It is set once, when the database has been opened.
    private let known: Mutex<InstrumentedDatabase>
    private let hasNoticedOtherWriter = Atomic(false)
    /// The threads that are inside a call to an instrument.
    private let callingThreads = Mutex<Set<UInt>>([])

    /// - Returns: nil without instruments, which is what all accesses test.
    init?(_ kind: InstrumentedDatabase.Kind, _ path: String, _ configuration: Configuration) {
        guard !configuration.instruments.isEmpty else { return nil }
        instruments = configuration.instruments
        known = Mutex(
            InstrumentedDatabase(
                kind: kind, path: path, label: configuration.label, journalMode: kind == .snapshot ? "wal" : "",
                maximumConnectionCount: kind == .pool ? configuration.maximumReaderCount + 1 : 1))
    }

    private var database: InstrumentedDatabase { known.withLock { $0 } }

    /// Called when the database has been opened.
    ///
    /// - Parameter db: its connection, in an access.
    func didOpen(_ db: Database) {
        // A database whose journal mode can't be read because it is locked can still be opened.
        let mode = try? db.connection.unwatched { try String.fetchOne(db.makeStatement(sql: "PRAGMA journal_mode")) }
        let database = known.withLock { known in
            known = InstrumentedDatabase(
                kind: known.kind, path: known.path, label: known.label, journalMode: mode?.lowercased() ?? "",
                maximumConnectionCount: known.maximumConnectionCount)
            return known
        }
        for instrument in instruments where database.kind != .snapshot { instrument.didOpen(database) }
    }

    /// Called when the program requests an access.
    ///
    /// - Returns: nil if no instrument receives it.
    ///
    /// - Parameter isShared: whether the access shares its connection with others.
    func willAccess(
        _ kind: InstrumentedAccess.Kind, _ site: StaticCallSite, isShared: Bool = false
    ) -> MeasuredAccess? {
        // An instrument's own use of the database is not reported, to avoid an infinite loop.
        guard beginCall() else { return nil }
        defer { endCall() }
        let access = InstrumentedAccess(
            database: database, kind: kind, callSite: site.callSite, sharesConnection: isShared)
        let listeners = instruments.compactMap { $0.willAccess(access) }
        return listeners.isEmpty ? nil : MeasuredAccess(listeners, self, isShared: isShared)
    }

    /// - Returns: false inside another call on this thread.
    fileprivate func beginCall() -> Bool { callingThreads.withLock { $0.insert(currentThreadID).inserted } }

    fileprivate func endCall() { callingThreads.withLock { _ = $0.remove(currentThreadID) } }

    func didCheckpoint(_ checkpoint: InstrumentedCheckpoint) {
        let database = database
        for instrument in instruments { instrument.didCheckpoint(checkpoint, of: database) }
    }

    /// Called when another connection has committed.
    func didNoticeOtherWriter() {
        guard !hasNoticedOtherWriter.exchange(true, ordering: .relaxed) else { return }
        let database = database
        for instrument in instruments { instrument.didNoticeOtherWriter(of: database) }
    }

    /// The handling of long reads.
    var longReadReports: [LongReadReport] {
        instruments.compactMap { instrument in
            instrument.longReadAge.map { age in
                LongReadReport(age: age.nanoseconds) { [weak self] read in
                    if let self { instrument.didFindLongRead(read, of: database) }
                }
            }
        }
    }
}

/// An access observed by instruments.
final class MeasuredAccess: MeterListener, Sendable {
    private let listeners: [any AccessInstrument]
    private let instruments: DatabaseInstruments
    private let observesStatements: Bool
    private let isShared: Bool
    private let request = Uptime.now
    /// Uptimes; 0 if the access has not begun or not finished.
    private let beginning = Atomic<UInt64>(0)
    private let ending = Atomic<UInt64>(0)

    fileprivate init(_ listeners: [any AccessInstrument], _ instruments: DatabaseInstruments, isShared: Bool) {
        (self.listeners, self.instruments, self.isShared) = (listeners, instruments, isShared)
        observesStatements = listeners.contains { $0.observesStatements }
    }

    /// Called when the access has its connection.
    func begin(_ connection: LocalConnection) {
        didBegin()
        if observesStatements { connection.measure(self) }
    }

    /// Called when the access releases its connection.
    func stop(_ connection: LocalConnection) {
        connection.stopMeasuring()
        didStop()
    }

    /// Runs a write of a group, which shares the connection and transaction with others.
    func measuring<T>(_ connection: LocalConnection, _ body: () throws -> T) rethrows -> T {
        // A write whose group can't be committed is rerun.
        if beginning.load(ordering: .relaxed) == 0 { didBegin() }
        guard observesStatements else { return try body() }
        return try connection.measuring(self, body)
    }

    /// Called when the transaction of a group has ended.
    func endShared(_ error: (any Error)?, walPageCount: Int?) {
        let start = beginning.load(ordering: .relaxed)
        if start != 0 {
            didStop()
            let nanoseconds = ending.load(ordering: .relaxed) - start
            tellEnd(of: error == nil, nanoseconds, walPageCount)
        }
        end(error)
    }

    private func didBegin() {
        let now = Uptime.now
        beginning.store(now, ordering: .relaxed)
        let wait = Uptime.duration(from: request, to: now)
        for listener in listeners { listener.didBegin(after: wait) }
    }

    private func didStop() { ending.store(Uptime.now, ordering: .relaxed) }

    /// Called when the program receives the result.
    func end(_ error: (any Error)?) {
        let (beginning, ending) = (beginning.load(ordering: .relaxed), ending.load(ordering: .relaxed))
        let duration = beginning == 0 ? nil : Uptime.duration(from: beginning, to: ending)
        // The program no longer waits, so an instrument may use the database, but its use is not reported.
        let isOuter = instruments.beginCall()
        for listener in listeners { listener.didEnd(after: duration, error: error) }
        if isOuter { instruments.endCall() }
    }

    /// Runs an access and reports its end.
    func ending<T>(_ body: () throws -> T) throws -> T {
        do {
            let value = try body()
            end(nil)
            return value
        } catch {
            end(error)
            throw error
        }
    }

    // MARK: Statements

    func didRun(_ run: MeasuredRun) {
        let statement = InstrumentedStatement(run)
        for listener in listeners where listener.observesStatements { listener.didRun(statement) }
    }

    func transactionDidEnd(committed: Bool, nanoseconds: UInt64, walPageCount: Int?) {
        // The end of a shared transaction is reported only once.
        if !isShared { tellEnd(of: committed, nanoseconds, walPageCount) }
    }

    private func tellEnd(of isCommitted: Bool, _ nanoseconds: UInt64, _ walPageCount: Int?) {
        let transaction = InstrumentedTransaction(
            isCommitted: isCommitted, duration: .nanoseconds(Int64(clamping: nanoseconds)),
            walPageCount: walPageCount)
        for listener in listeners where listener.observesStatements { listener.didEndTransaction(transaction) }
    }
}
