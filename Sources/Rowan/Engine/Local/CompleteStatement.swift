// Whether an SQL text ends with a whole statement.

import RowanSQLite

extension String {
    /// Whether the text ends with a whole statement, and its semicolon. SQLite knows texts, comments and triggers; it does
    /// not compile the statement.
    ///
    /// Source: <https://sqlite.org/c3ref/complete.html>
    var isCompleteSQL: Bool { sqlite3_complete(self) != 0 }
}
