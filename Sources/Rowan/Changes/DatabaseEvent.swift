// Database changes as reported by SQLite: kinds of changes, which are announced before a statement runs, and changes of
// individual rows.

/// A row change: an insertion, an update or a deletion.
///
/// Transaction observers receive events: see ``TransactionObserver``.
///
/// Source: <https://sqlite.org/c3ref/update_hook.html>
public struct DatabaseEvent: Hashable, Sendable {
    /// The kind of a change.
    public enum Kind: CInt, Sendable {
        /// The code of SQLITE_INSERT.
        case insert = 18
        /// The code of SQLITE_DELETE.
        case delete = 9
        /// The code of SQLITE_UPDATE.
        case update = 23
    }

    /// The kind of the change.
    public let kind: Kind

    /// The rowid of the changed row. For an update that changes the rowid, the new one.
    public let rowID: Int64

    package let table: StatementProfile.Table

    /// The schema of the table: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { table.schema }

    /// The name of the table, as spelled in the schema.
    public var tableName: String { table.name }

    /// The same event. An event is a value that you can keep after the callback that receives it.
    public func copy() -> DatabaseEvent { self }
}

/// A kind of change that a statement may make to a table.
///
/// Transaction observers select the events they receive by these kinds, before the statement runs.
@frozen
public enum DatabaseEventKind: Hashable, Sendable {
    /// Rows are inserted.
    case insert(tableName: String)
    /// Rows are deleted.
    case delete(tableName: String)
    /// Columns of rows are updated.
    case update(tableName: String, columnNames: Set<String>)

    /// The name of the table.
    public var tableName: String {
        switch self {
        case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
        }
    }

    /// Whether an event has this kind and the same table.
    func isKind(of kind: DatabaseEvent.Kind) -> Bool {
        switch self {
        case .insert: kind == .insert
        case .delete: kind == .delete
        case .update: kind == .update
        }
    }
}
