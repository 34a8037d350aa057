// The rows that a connection changes, with the values they had. SQLite's own recorder works the same way: for each row, it
// keeps the first values, and compares them with the current ones at the end. So whatever is rolled back leaves no change,
// and a row that is written a thousand times has one.

public import Rowan
public import RowanPlatform
import Synchronization

/// Records the changes of rows of one connection.
///
/// ```swift
/// let recorder = try dbQueue.write { db in try db.makeChangesetRecorder() }
/// ...
/// let changes = try dbQueue.write { db in try recorder.changeset(db) }
/// ```
///
/// It records until ``stop(_:)`` is called, the recorder is released, or the connection is closed. For one block of
/// statements, use ``/Rowan/Database/recordChanges(in:_:)``. It keeps the first version of each changed row in memory.
///
/// Tables without a primary key, virtual tables and the rows whose key contains NULL are left out:
/// ``unrecordedRowCount(_:)`` counts the changes of those rows, and ``unrecordedTableNames(_:)`` lists the tables.
///
/// `@unchecked Sendable`: only the thread that has access to the connection uses the log.
///
/// Article: <doc:ChangesAsValues>.
public final class ChangesetRecorder: @unchecked Sendable {
    private let log: ChangeLog

    fileprivate init(_ log: ChangeLog) { self.log = log }

    deinit { log.end() }

    /// The changes since the recorder was made, with the values before and after.
    ///
    /// The changes of the current transaction are included, even if it is rolled back later.
    ///
    /// - Throws: SQLITE_MISUSE if the database is not the one that was recorded; SQLITE_SCHEMA if columns of a changed table
    ///   have changed; SQLITE_ERROR if this version of SQLite does not report the values of a changed table.
    ///
    /// Complexity: one query for each changed row.
    public func changeset(_ db: Database) throws -> Changeset {
        try log.check(db)
        return try log.changeset(db)
    }

    /// Passes the changes since the recorder was made to a closure, in SQLite's format, a megabyte at a time. They are never in
    /// memory as a whole.
    ///
    /// ```swift
    /// let file = try FileHandle(forWritingTo: url)
    /// try dbQueue.write { db in
    ///     try recorder.write(db) { try file.write(contentsOf: $0) }
    /// }
    /// ```
    ///
    /// To read them, see ``DatabaseChanges/init(contentsOf:columnsFrom:)``.
    ///
    /// - Throws: the errors of ``changeset(_:)``, and the closure's error.
    public func write(_ db: Database, to body: (Data) throws -> Void) throws {
        try log.check(db)
        try log.forEachPart(db) { part, _ in try body(part) }
    }

    /// Whether no row was written. A row that was written without a change counts, too.
    public func isEmpty(_ db: Database) throws -> Bool {
        try log.check(db)
        return log.rows.isEmpty
    }

    /// The number of times that rows with NULL in their primary key were written.
    public func unrecordedRowCount(_ db: Database) throws -> Int {
        try log.check(db)
        return log.unrecordedRowCount
    }

    /// The names of the recorder's tables whose changes are not recorded, because they have no primary key.
    public func unrecordedTableNames(_ db: Database) throws -> [String] {
        try log.check(db)
        try log.readTables(db)
        return log.unrecordedTableNames
    }

    /// Stops recording. The changes up to now remain available.
    public func stop(_ db: Database) throws {
        try log.check(db)
        log.stop(db)
    }
}

extension Database {
    /// Records the changes of rows from now on: see ``/RowanChangesets/ChangesetRecorder``.
    ///
    /// - Parameter tables: the types of the records of the tables to record; nil for all tables of the main database.
    /// - Throws: SQLITE_MISUSE on a cluster, or if this SQLite does not report the values of rows; an error if a table
    ///   doesn't exist or has no primary key.
    public func makeChangesetRecorder(in tables: [any TableRecord.Type]? = nil) throws -> ChangesetRecorder {
        ChangesetRecorder(try makeChangeLog(tables?.map { $0.databaseTableName }))
    }

    /// Records the changes that the closure makes.
    ///
    /// ```swift
    /// let changes = try db.recordChanges(in: [Player.self]) {
    ///     try player.update(db)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - tables: the types of the records of the tables to record; nil for all tables of the main database.
    ///   - updates: the closure.
    /// - Throws: the closure's error, and those of ``makeChangesetRecorder(in:)`` and
    ///   ``/RowanChangesets/ChangesetRecorder/changeset(_:)``.
    public func recordChanges(
        in tables: [any TableRecord.Type]? = nil, _ updates: () throws -> Void
    ) throws -> Changeset {
        let log = try makeChangeLog(tables?.map { $0.databaseTableName })
        defer { log.stop(self) }
        try updates()
        return try log.changeset(self)
    }

    private func makeChangeLog(_ tables: [String]?) throws -> ChangeLog {
        try connection.refuseInScope("record changes")
        guard connection.abilities.reportsRows, PreUpdateRow.isSupported else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: connection.abilities.reportsRows
                    ? "this SQLite does not report the values of changed rows: it was built without its pre-update hook"
                    : "a cluster does not report changed rows: record changes in a local database")
        }
        let log = try ChangeLog(self, tables)
        try log.start(self)
        return log
    }
}

/// The changed rows of a connection, as a subscriber, which is asked before each statement that writes.
private final class ChangeLog: ChangeSubscriber {
    /// What the row was before its first change.
    struct Original {
        let values: [DatabaseValue]?
        var isIndirect: Bool
    }

    private struct Table {
        let info: RecordedTable
        /// Nil if SQLite does not report the values correctly.
        let layout: PreUpdateLayout?
        /// The positions of the columns of `info` in those of the layout.
        let positions: [Int]
    }

    /// Weak, because the recorder may outlive them.
    private weak var connection: LocalConnection?
    private weak var db: Database?
    /// The names of the tables to record, case-folded; nil for all.
    private let filter: Set<String>?
    private var tables: [String: Table] = [:]
    private var epoch: Int?
    /// The tables that existed when the recording began.
    private var firstTables: [String] = []
    /// The columns of the changed tables, at their first change.
    private var columnsOfRows: [String: [String]] = [:]
    private(set) var rows: [ChangedRowKey: Original] = [:]
    /// The rows in the order of their first change.
    private var order: [ChangedRowKey] = []
    private(set) var unrecordedRowCount = 0
    private(set) var unrecordedTableNames: [String] = []
    private var token: ConnectionHooks.Token?
    private var failure: (any Error)?
    /// Set by the recorder when it is released, on any thread.
    private let hasEnded = Atomic(false)

    init(_ db: Database, _ names: [String]?) throws {
        self.db = db
        connection = db.connection
        filter = names.map { Set($0.map(\.foldedDatabaseName)) }
        try readTables(db)
        firstTables = tables.values.map(\.info.format.name).sorted()
        for name in names ?? [] where tables[name.foldedDatabaseName] == nil {
            _ = try db.columns(in: name, in: "main")
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the changes of \"\(name)\" can't be recorded: it is not a table with a primary key")
        }
    }

    // MARK: The recording

    func start(_ db: Database) throws {
        let hooks = try db.connection.openHooks()
        token = hooks.onPreupdate { [weak self] in self?.note($0) }
        // A DELETE without condition that is already compiled would not report its rows.
        hooks.expireStatements()
        db.subscribeToConnection(self)
    }

    func stop(_ db: Database) {
        end()
        if let token { db.connection.hooks?.remove(token) }
        token = nil
        db.unsubscribe(self)
    }

    func end() { hasEnded.store(true, ordering: .relaxed) }

    func check(_ db: Database) throws {
        guard db.connection === connection else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the changes were recorded on another connection: use the connection that made the recorder")
        }
        _ = try db.connection.openPointer()
    }

    /// Reads the tables again if the schema has changed.
    func readTables(_ db: Database) throws {
        let connection = db.connection
        let epoch = connection.schemaEpoch
        guard self.epoch != epoch else { return }
        try connection.unwatched {
            tables = [:]
            unrecordedTableNames = []
            for name in try db.tables(in: "main").map(\.name) {
                let folded = name.foldedDatabaseName
                guard filter?.contains(folded) ?? !connection.abilities.hiddenTables.contains(name) else { continue }
                guard let info = try RecordedTable(name, db) else {
                    unrecordedTableNames.append(name)
                    continue
                }
                let layout = try db.preUpdateLayout(of: .init(schema: "main", name: name))
                let positions = info.columnNames.compactMap { layout?.columnNames.firstIndex(of: $0) }
                tables[folded] = Table(info: info, layout: layout, positions: positions)
            }
        }
        self.epoch = epoch
    }

    /// SQLite is about to change a row.
    private func note(_ row: PreUpdateRow) {
        guard !isEnded, failure == nil, strcmp(row.schema, "main") == 0 else { return }
        let name = String(cString: row.table).foldedDatabaseName
        guard let table = tables[name] else { return }
        guard let kind = DatabaseEvent.Kind(rawValue: row.operation),
            let event = table.layout?.event(row, kind, .init(schema: "main", name: table.info.format.name))
        else {
            failure = DatabaseError(
                message:
                    "this version of SQLite does not report the values of table \"\(table.info.format.name)\": record "
                    + "its changes with SQLite 3.53 or later")
            return
        }
        func values(_ all: [DatabaseValue]?) -> [DatabaseValue]? { all.map { all in table.positions.map { all[$0] } } }
        let isIndirect = event.depth > 0
        if let old = values(event.initialDatabaseValues) {
            note(name, table, old, original: Original(values: old, isIndirect: isIndirect))
        }
        if let new = values(event.finalDatabaseValues) {
            note(name, table, new, original: Original(values: nil, isIndirect: isIndirect))
        }
    }

    private func note(_ name: String, _ table: Table, _ values: [DatabaseValue], original: Original) {
        guard let key = table.info.key(values) else {
            unrecordedRowCount += 1
            return
        }
        let row = ChangedRowKey(table: name, values: key)
        if columnsOfRows[name] == nil { columnsOfRows[name] = table.info.columnNames }
        if let known = rows[row] {
            if known.isIndirect, !original.isIndirect { rows[row]?.isIndirect = false }
        } else {
            rows[row] = original
            order.append(row)
        }
    }

    // MARK: The changes

    func changeset(_ db: Database) throws -> Changeset {
        var data = Data()
        var columnNames: [String: [String]] = [:]
        try forEachPart(db) { part, names in
            data.append(part)
            columnNames = names
        }
        return Changeset(data: data, columnNames: columnNames)
    }

    /// Calls the closure with the bytes of the changes, a megabyte at a time, and the columns of the tables so far.
    func forEachPart(_ db: Database, _ body: (Data, [String: [String]]) throws -> Void) throws {
        try readTables(db)
        if let failure { throw failure }
        // SQLite does not report the rows of a table that is dropped.
        if let name = firstTables.first(where: { tables[$0.foldedDatabaseName] == nil }) {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA, message: "table \"\(name)\" was dropped while its changes were recorded")
        }
        var writer = ChangesetWriter(isPatchset: false)
        var columnNames: [String: [String]] = [:]
        for (name, changed) in order.byTable {
            // A table that is gone was also made meanwhile.
            guard let info = tables[name]?.info else { continue }
            func hasChanged() -> DatabaseError {
                DatabaseError(
                    resultCode: .SQLITE_SCHEMA,
                    message: "the columns of table \"\(name)\" have changed while its changes were recorded")
            }
            guard info.columnNames == columnsOfRows[name] else { throw hasChanged() }
            for row in changed {
                guard let original = rows[row] else { continue }
                guard original.values.map({ $0.count == info.columnNames.count }) ?? true else { throw hasChanged() }
                let current = try info.row(row.values, db)
                guard let change = info.change(from: original.values, to: current, isIndirect: original.isIndirect)
                else {
                    continue
                }
                writer.write(change, of: info.format)
                columnNames[info.format.name] = info.columnNames
                if writer.bytes.count >= 1 << 20 { try body(writer.takeBytes(), columnNames) }
            }
        }
        try body(writer.takeBytes(), columnNames)
    }

    // MARK: The subscriber

    var isEnded: Bool { hasEnded.load(ordering: .relaxed) }
    var comparesRegions: Bool { false }

    func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest {
        do { if let db { try readTables(db) } } catch { failure = failure ?? error }
        return .none
    }

    func regionDidChange(_ region: DatabaseRegion) {}

    func transactionDidEnd(committed: Bool, _ db: Database) { if isEnded { stop(db) } }
}
