// Observers that receive the values of rows before and after a change. SQLite reads the previous values only while such
// an observer is registered, so they are requested with a separate protocol.

/// A transaction observer that receives the values of each changed row.
///
/// ```swift
/// final class ScoreHistory: PreUpdateObserver {
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///         eventKind == .update(tableName: "player", columnNames: ["score"])
///     }
///
///     func databaseWillChange(with event: DatabasePreUpdateEvent) {
///         guard let index = event.columnNames.firstIndex(of: "score") else { return }
///         print(event.initialDatabaseValue(atIndex: index)!, "becomes", event.finalDatabaseValue(atIndex: index)!)
///     }
///
///     func databaseDidChange(with event: DatabaseEvent) {}
///     func databaseDidCommit(_ db: Database) {}
///     func databaseDidRollback(_ db: Database) {}
/// }
/// ```
///
/// SQLite must be built with SQLITE_ENABLE_PREUPDATE_HOOK: see ``Database/supportsPreUpdateEvents``.
public protocol PreUpdateObserver: TransactionObserver {
    /// Called when a row is about to change. The observer must not use the connection.
    ///
    /// This method is called for each changed row, even where SQLite reports no ``DatabaseEvent``: in tables WITHOUT
    /// ROWID, and for rows replaced by a conflict clause. It is called immediately, because SQLite has the values only
    /// at this time: a savepoint that is rolled back, or a statement that fails, may undo the change without an event.
    ///
    /// It is not called for incremental blob writes, virtual tables and schema changes.
    func databaseWillChange(with event: DatabasePreUpdateEvent)
}

/// A row that is about to change, with its values before and after the change.
///
/// Such events are received by ``PreUpdateObserver``.
///
/// The values are those of the stored columns, in table order. Virtual generated columns have no value.
///
/// Before version 3.53, SQLite does not provide the values for some tables, which then have no events: if a virtual
/// generated column precedes the INTEGER PRIMARY KEY; and in tables with REAL columns, if a virtual generated column,
/// or the column order of the primary key in a table WITHOUT ROWID, makes SQLite mistake another column for the REAL
/// one.
///
/// Source: <https://sqlite.org/c3ref/preupdate_blobwrite.html>
public struct DatabasePreUpdateEvent: Hashable, Sendable {
    /// The kind of a change.
    public typealias Kind = DatabaseEvent.Kind

    /// The kind of the change.
    public let kind: Kind

    private let table: StatementProfile.Table

    /// The names of the columns that have values.
    public let columnNames: [String]

    /// The origin of the change: 0 for the statement itself; 1 for a trigger or a foreign key action; 2 for a trigger's
    /// trigger…
    public let depth: Int

    /// The rowid of the row before the change; nil for an insertion, and in a table WITHOUT ROWID.
    public let initialRowID: Int64?

    /// The rowid of the row after the change; nil for a deletion, and in a table WITHOUT ROWID.
    public let finalRowID: Int64?

    /// The values before the change; nil for an insertion.
    public let initialDatabaseValues: [DatabaseValue]?

    /// The values after the change; nil for a deletion.
    public let finalDatabaseValues: [DatabaseValue]?

    init(
        kind: Kind, table: StatementProfile.Table, columnNames: [String], depth: Int, initialRowID: Int64?,
        finalRowID: Int64?, initialDatabaseValues: [DatabaseValue]?, finalDatabaseValues: [DatabaseValue]?
    ) {
        self.kind = kind
        self.table = table
        self.columnNames = columnNames
        self.depth = depth
        self.initialRowID = initialRowID
        self.finalRowID = finalRowID
        self.initialDatabaseValues = initialDatabaseValues
        self.finalDatabaseValues = finalDatabaseValues
    }

    /// The schema of the table: `main`, `temp`, or the name of an attached database.
    public var databaseName: String { table.schema }

    /// The name of the table, as spelled in the schema.
    public var tableName: String { table.name }

    /// The number of columns that have values.
    public var count: Int { columnNames.count }

    /// The value of a column before the change; nil for an insertion.
    ///
    /// - Precondition: the event has a column at this index.
    public func initialDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        checkIndex(index)
        return initialDatabaseValues?[index]
    }

    /// The value of a column after the change; nil for a deletion.
    ///
    /// - Precondition: the event has a column at this index.
    public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
        checkIndex(index)
        return finalDatabaseValues?[index]
    }

    private func checkIndex(_ index: Int) {
        precondition(columnNames.indices.contains(index), "\(tableName) has \(count) columns: none at index \(index)")
    }

    /// The same event. An event is a value that you can keep after the callback that receives it.
    public func copy() -> DatabasePreUpdateEvent { self }
}

extension Database {
    /// Whether SQLite was built with SQLITE_ENABLE_PREUPDATE_HOOK. Without it, ``PreUpdateObserver`` receives only the
    /// events of ``TransactionObserver``.
    public static var supportsPreUpdateEvents: Bool { PreUpdateRow.isSupported }
}
