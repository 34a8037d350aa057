import Foundation
import Synchronization

/// The statements that ran on a connection, and their times, grouped by SQL.
public final class StatementLog: Sendable {
    public struct Entry: Sendable {
        public var sql: String
        /// The SQL of the first run, with its arguments.
        public var expandedSQL: String
        public var count: Int
        public var duration: Duration
    }

    private let entries = Mutex<[Entry]>([])

    public init() {}

    /// Adds one run of a statement. The connections of a pool call this on several threads.
    func add(sql: String, expandedSQL: String, duration: Duration) {
        entries.withLock { entries in
            if let known = entries.firstIndex(where: { $0.sql == sql }) {
                entries[known].count += 1
                entries[known].duration += duration
            } else {
                entries.append(Entry(sql: sql, expandedSQL: expandedSQL, count: 1, duration: duration))
            }
        }
    }

    /// The statements since the last call, with the library's own statements summed up at the end.
    public func takeAll() -> [Entry] {
        let all = entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
        let bookkeeping = all.filter(\.isBookkeeping)
        guard !bookkeeping.isEmpty else { return all }
        let sum = Entry(
            sql: "(transactions, settings and looks at the schema)",
            expandedSQL: bookkeeping[0].expandedSQL,
            count: bookkeeping.reduce(0) { $0 + $1.count },
            duration: bookkeeping.reduce(.zero) { $0 + $1.duration })
        return all.filter { !$0.isBookkeeping } + [sum]
    }

    func forgetAll() {
        _ = takeAll()
    }
}

extension StatementLog.Entry: CustomStringConvertible {
    /// One line: the number of runs, the total duration, and the SQL.
    public var description: String {
        let text = (count == 1 ? expandedSQL : sql)
            .split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        return String(format: "%4d × %8.3f ms  %@", count, duration / .milliseconds(1), text)
    }

    /// Whether this is one of the library's own statements, rather than the program's.
    var isBookkeeping: Bool {
        let text = sql.uppercased()
        return ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA"].contains { text.hasPrefix($0) }
            || ["SQLITE_MASTER", "SQLITE_SCHEMA", "PRAGMA_", "SQLITE_TEMP_"].contains { text.contains($0) }
    }
}
