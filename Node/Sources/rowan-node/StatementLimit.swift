// dqlite runs all statements in one thread. A statement that does not finish would block the node permanently: even if
// its client has disconnected, dqlite detects that in the same thread. Statements that run for too long without a row
// are therefore interrupted.
// Sources: https://sqlite.org/c3ref/progress_handler.html, https://sqlite.org/c3ref/trace_v2.html

import CDqlite
import Glibc
import Synchronization

/// Limits how long a statement may run without returning a row.
enum StatementLimit {
    /// In nanoseconds.
    private static let limit = Atomic<UInt64>(0)

    /// The handler runs roughly every millisecond.
    private static let instructionCount: Int32 = 10_000

    /// Limits the statements of all connections that SQLite opens from now on.
    ///
    /// - Throws: a `Failure` if there is not enough memory for it.
    static func set(seconds: UInt64) throws(Failure) {
        limit.store(seconds * 1_000_000_000, ordering: .relaxed)
        let open: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Int32 = {
            connection, _, _ in
            StatementLimit.watch(connection)
            return SQLITE_OK
        }
        // SQLite declares functions without parameters here but calls them with three: see its documentation.
        let code = sqlite3_auto_extension(unsafeBitCast(open, to: (@convention(c) () -> Void).self))
        guard code == SQLITE_OK else { throw Failure("can't limit how long statements run: SQLite's code is \(code)") }
    }

    /// The state of a connection.
    private struct Run {
        /// The last client statement that has begun. Only compared.
        var statement: UnsafeMutableRawPointer?
        /// The time at which the handler first ran since the statement began or returned a row; 0 if it has not.
        var start: UInt64 = 0

        static func of(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Run> {
            context!.assumingMemoryBound(to: Run.self)
        }
    }

    private static func watch(_ connection: OpaquePointer?) {
        let run = UnsafeMutablePointer<Run>.allocate(capacity: 1)
        run.initialize(to: Run())
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_CLOSE)
        sqlite3_trace_v2(
            connection, events,
            { event, run, object, text in
                StatementLimit.note(event, Run.of(run), object, text)
                return 0
            }, run)
        sqlite3_progress_handler(
            connection, instructionCount, { StatementLimit.isExceeded(Run.of($0)) ? 1 : 0 }, run)
    }

    private static func note(
        _ event: UInt32, _ run: UnsafeMutablePointer<Run>, _ object: UnsafeMutableRawPointer?,
        _ text: UnsafeMutableRawPointer?
    ) {
        switch event {
        case UInt32(SQLITE_TRACE_STMT):
            // Triggers and the statements of virtual tables are part of a statement. They have another text.
            guard UnsafeRawPointer(text) == UnsafeRawPointer(sqlite3_sql(OpaquePointer(object))) else { return }
            (run.pointee.statement, run.pointee.start) = (object, 0)
        case UInt32(SQLITE_TRACE_ROW):
            if run.pointee.statement == object { run.pointee.start = 0 }
        default:
            let connection = OpaquePointer(object)
            sqlite3_progress_handler(connection, 0, nil, nil)
            sqlite3_trace_v2(connection, 0, nil, nil)
            run.deallocate()
        }
    }

    private static func isExceeded(_ run: UnsafeMutablePointer<Run>) -> Bool {
        let now = now()
        guard run.pointee.start != 0 else {
            run.pointee.start = now
            return false
        }
        return now - run.pointee.start > limit.load(ordering: .relaxed)
    }

    /// A clock that stops while the machine sleeps.
    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
