// dqlite runs all statements in one thread. A statement that does not end would occupy the node for ever: its client may have
// gone, but dqlite learns of that in the same thread. So statements that run for too long without a row are interrupted.
// Sources: https://sqlite.org/c3ref/progress_handler.html, https://sqlite.org/c3ref/trace_v2.html

import CDqlite
import Glibc
import Synchronization

/// Limits how long a statement may run without a row.
enum StatementLimit {
    /// In nanoseconds.
    private static let limit = Atomic<UInt64>(0)

    /// The handler runs every millisecond, roughly.
    private static let instructionCount: Int32 = 10_000

    /// Limits the statements of all connections that SQLite opens from now on.
    ///
    /// - Throws: a `Failure` if there is no memory for it.
    static func set(seconds: UInt64) throws(Failure) {
        limit.store(seconds * 1_000_000_000, ordering: .relaxed)
        let open: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Int32 = {
            connection, _, _ in
            StatementLimit.watch(connection)
            return SQLITE_OK
        }
        // SQLite declares functions without parameters here, and calls them with three: see its documentation.
        let code = sqlite3_auto_extension(unsafeBitCast(open, to: (@convention(c) () -> Void).self))
        guard code == SQLITE_OK else { throw Failure("can't limit how long statements run: SQLite's code is \(code)") }
    }

    /// The time at which the handler has first run since a statement began, or had a row; 0 if it has not.
    private typealias Start = UnsafeMutablePointer<UInt64>

    private static func watch(_ connection: OpaquePointer?) {
        let start = Start.allocate(capacity: 1)
        start.initialize(to: 0)
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_CLOSE)
        sqlite3_trace_v2(
            connection, events,
            { event, start, connection, _ in
                let start = start!.assumingMemoryBound(to: UInt64.self)
                start.pointee = 0
                guard event == UInt32(SQLITE_TRACE_CLOSE) else { return 0 }
                let connection = OpaquePointer(connection)
                sqlite3_progress_handler(connection, 0, nil, nil)
                sqlite3_trace_v2(connection, 0, nil, nil)
                start.deallocate()
                return 0
            }, start)
        sqlite3_progress_handler(
            connection, instructionCount,
            { start in
                let start = start!.assumingMemoryBound(to: UInt64.self)
                let now = StatementLimit.now()
                guard start.pointee != 0 else {
                    start.pointee = now
                    return 0
                }
                return now - start.pointee > StatementLimit.limit.load(ordering: .relaxed) ? 1 : 0
            }, start)
    }

    /// A clock that stands while the machine sleeps.
    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
