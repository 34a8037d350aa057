// Long reads while others write: SQLite can't reuse the write-ahead log while a read needs its content.
// Source: https://sqlite.org/wal.html#avoiding_excessively_large_wal_files

import Dispatch

/// A read that has been running for a long time while the database was written.
///
/// Article: <doc:Tuning>.
public struct LongRead: Sendable, CustomStringConvertible {
    /// The read or snapshot: its call site and its duration.
    public let access: DatabasePoolStatus.Access
    /// The size of the write-ahead log in bytes.
    public let walSize: Int

    /// A description for a log.
    public var description: String {
        "the write-ahead log, which has \(walSize) bytes, can't be reused before the end of a \(access)"
    }
}

extension Configuration {
    /// Reports each read and each snapshot of a pool that lasts longer than expected while the pool writes.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.reportLongReads(after: .seconds(5)) { read in
    ///     logger.warning("\(read)")
    ///     // the write-ahead log, which has 4194304 bytes, can't be reused before the end of a read for 5.1 seconds,
    ///     // last statement: SELECT * FROM player
    /// }
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    ///
    /// SQLite can't reuse the write-ahead log while a read needs its content: the file grows with each commit, and all
    /// reads become slower. The pool checks for long reads after its writes; nothing runs between them.
    ///
    /// - Parameters:
    ///   - age: the expected duration.
    ///   - report: a closure called once for each long read, on its own queue.
    public mutating func reportLongReads(after age: Duration, _ report: @escaping @Sendable (LongRead) -> Void) {
        longReadReport = LongReadReport(age: age.nanoseconds, report: report)
    }
}

/// The handling of long reads.
struct LongReadReport: Sendable {
    /// In nanoseconds.
    let age: UInt64
    let report: @Sendable (LongRead) -> Void
}

/// The reads and snapshots of a pool.
final class LongReads: Sendable {
    private struct State {
        weak var readers: AccessLane?
        var snapshots: [WeakSnapshot] = []
        var walPath = ""
        /// The uptime of the next check.
        var nextLook: UInt64 = 0
        /// The reported reads that are still running, for each report.
        var reported: [Set<Key>]
    }

    private struct WeakSnapshot { weak var snapshot: OpenSnapshot? }

    fileprivate struct Key: Hashable {
        let beginning: UInt64
        let record: ObjectIdentifier
    }

    private let reports: [LongReadReport]
    private let state: Mutex<State>

    init(_ report: LongReadReport?, _ instruments: DatabaseInstruments?) {
        reports = (report.map { [$0] } ?? []) + (instruments?.longReadReports ?? [])
        state = Mutex(State(reported: Array(repeating: [], count: reports.count)))
    }

    /// - Parameter path: the path of the database file.
    func observe(_ readers: AccessLane, path: String) {
        state.withLock { ($0.readers, $0.walPath) = (readers, path + "-wal") }
    }

    /// Records a snapshot while it is open.
    func add(_ snapshot: OpenSnapshot) {
        state.withLock { state in
            state.snapshots.removeAll { $0.snapshot == nil }
            state.snapshots.append(WeakSnapshot(snapshot: snapshot))
        }
    }

    var walSize: Int {
        // A file that does not exist, because nothing has been written yet, has no size.
        FileStatus(state.withLock { $0.walPath })?.size ?? 0
    }

    // MARK: Running reads

    /// A running read or an open snapshot.
    struct Read {
        let record: AccessRecord
        let access: DatabasePoolStatus.Access

        fileprivate init?(_ kind: DatabasePoolStatus.Access.Kind, _ record: AccessRecord, _ now: UInt64) {
            guard let access = DatabasePoolStatus.Access(kind, record, now) else { return nil }
            (self.record, self.access) = (record, access)
        }

        fileprivate var key: Key { Key(beginning: access.beginning, record: ObjectIdentifier(record)) }
    }

    /// The running reads, oldest first.
    func reads(_ now: UInt64) -> [Read] {
        let (readers, snapshots) = state.withLock { ($0.readers, $0.snapshots.compactMap(\.snapshot)) }
        let reads =
            (readers?.allConnections ?? []).compactMap { Read(.read, $0.record, now) }
            + snapshots.compactMap { Read(.snapshot, $0.record, now) }
        return reads.sorted { $0.access.beginning < $1.access.beginning }
    }

    // MARK: After commits

    /// Called when the writer has changed the database.
    func didWrite() {
        guard let shortest = reports.map(\.age).min() else { return }
        let now = Uptime.coarse
        let isDue = state.withLock { state in
            guard now >= state.nextLook else { return false }
            state.nextLook = now + shortest / 10
            return true
        }
        guard isDue else { return }
        let reads = reads(now)
        let late = state.withLock { state in
            reports.indices.flatMap { index in
                state.reported[index].formIntersection(reads.map(\.key))
                return reads.filter { read in
                    read.access.duration.nanoseconds >= reports[index].age
                        && state.reported[index].insert(read.key).inserted
                }.map { (reports[index].report, $0.access) }
            }
        }
        guard !late.isEmpty else { return }
        let walSize = walSize
        // The program's closure may use the pool, so it runs outside the access.
        reportQueue.async { for (report, access) in late { report(LongRead(access: access, walSize: walSize)) } }
    }
}

private let reportQueue = DispatchQueue(label: "Rowan.LongReads", qos: .utility)

/// A snapshot of a pool while it is open.
final class OpenSnapshot: Sendable {
    let record = AccessRecord()

    init(_ site: StaticCallSite) { record.begin(site) }
}
