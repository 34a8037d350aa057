// Cursors over the rows of a statement, including custom ones.

/// A cursor over the rows of a statement.
///
/// A custom type can adopt it to decode rows differently:
///
/// ```swift
/// final class NameCursor: DatabaseCursor {
///     typealias Element = String
///     var _isDone = false
///     let _statement: Statement
///     init(_ statement: Statement) { _statement = statement }
///     func _element(sqliteStatement: SQLiteStatement) throws -> String {
///         String(cString: sqlite3_column_text(sqliteStatement, 0))
///     }
/// }
/// // The names are NOT NULL: `sqlite3_column_text` is nil for NULL.
/// let names = try Array(NameCursor(db.makeStatement(sql: "SELECT name FROM player")))
/// ```
///
/// Article: <doc:FetchingRows>.
public protocol DatabaseCursor<Element>: Cursor {
    /// Whether the cursor has no more elements. False at the start.
    var _isDone: Bool { get set }

    /// The statement.
    var _statement: Statement { get }

    /// The element of the current row.
    ///
    /// - Parameter sqliteStatement: the C statement, which has just moved to the row.
    func _element(sqliteStatement: SQLiteStatement) throws -> Element
}

extension DatabaseCursor {
    /// The next element, or nil at the end.
    ///
    /// A statement serves one cursor at a time: another cursor starts from the first row.
    ///
    /// - Throws: SQLite's error or that of `_element`; SQLITE_MISUSE if a cursor of the library is using the statement.
    public func next() throws -> Element? {
        guard !_isDone else { return nil }
        do {
            if try _statement.step(for: self) { return try _element(sqliteStatement: _statement.handle) }
        } catch {
            _isDone = true
            // Without a reset, the read would stay open. A library cursor that uses the statement keeps its row.
            if _statement.connection.isAccessible, !_statement.isRunning { _statement.resetIfBusy() }
            throw error
        }
        _isDone = true
        return nil
    }

    /// The statement.
    public var statement: Statement { _statement }
    /// The SQL of the statement.
    public var sql: String { _statement.sql }
    /// The arguments of the statement.
    public var arguments: StatementArguments { _statement.arguments }
    /// The number of columns of the rows.
    public var columnCount: Int { _statement.columnCount }
    /// The names of the columns.
    public var columnNames: [String] { _statement.columnNames }
}
