// Whether an SQL text ends with a complete statement.

import RowanSQLite

extension String {
    /// Whether the text ends with a complete statement, including its semicolon. SQLite recognizes texts, comments and
    /// triggers, but does not compile the statement.
    ///
    /// Source: <https://sqlite.org/c3ref/complete.html>
    var isCompleteSQL: Bool { sqlite3_complete(self) != 0 }
}
