// The Record class: a base class for records that track their changes.

/// A base class for records.
///
/// ```swift
/// class Place: Record {
///     var id: Int64?
///     var title: String
///     override class var databaseTableName: String { "place" }
///     init(id: Int64?, title: String) { self.id = id; self.title = title; super.init() }
///     required init(row: Row) throws { id = row["id"]; title = row["title"]; try super.init(row: row) }
///     override func encode(to container: inout PersistenceContainer) throws {
///         container["id"] = id
///         container["title"] = title
///     }
///     override func didInsert(_ inserted: InsertionSuccess) {
///         super.didInsert(inserted)
///         id = inserted.rowID
///     }
/// }
/// ```
///
/// Prefer structs: they provide all of these features except `hasDatabaseChanges`.
open class Record: FetchableRecord, PersistableRecord {
    /// The last known stored values; nil for a record that was never stored.
    private var reference: PersistenceContainer?
    /// The row that the record was decoded from, until it is encoded for the first time.
    private var row: Row?

    /// Creates a record that is not in the database.
    public init() {}

    /// Creates a record from a row of the database.
    public required init(row: Row) throws { self.row = row.copy() }

    /// The name of the table. Subclasses must override it.
    open class var databaseTableName: String { preconditionFailure("\(self) must override databaseTableName") }

    /// The columns that requests select. By default, all columns.
    open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    /// How INSERT and UPDATE handle constraint violations. By default, a violation fails the statement and undoes its
    /// changes.
    open class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// Sets the values of the columns. Subclasses override it.
    open func encode(to container: inout PersistenceContainer) throws {}

    // MARK: Callbacks

    /// Called before the insertion. By default, does nothing.
    open func willInsert(_ db: Database) throws {}
    /// Called around the insertion: call `insert()` exactly once.
    open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { _ = try insert() }
    /// Called after the insertion. Subclasses must call super.
    open func didInsert(_ inserted: InsertionSuccess) {}
    /// Called before the update of some columns. By default, does nothing.
    open func willUpdate(_ db: Database, columns: Set<String>) throws {}
    /// Called around the update: call `update()` exactly once.
    open func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws { _ = try update() }
    /// Called after the update. By default, does nothing.
    open func didUpdate(_ updated: PersistenceSuccess) {}
    /// Called before the insertion or the update. By default, does nothing.
    open func willSave(_ db: Database) throws {}
    /// Called around the insertion or the update: call `save()` exactly once.
    open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }
    /// Called after the insertion or the update. Subclasses must call super.
    open func didSave(_ saved: PersistenceSuccess) {
        var stored = saved.persistenceContainer
        stored.finish()
        if let columns = saved.updatedColumns {
            // An update of some columns leaves the others unchanged.
            stored.filterMap { column, value in
                let isStored = columns.contains(column) || columns.contains { $0.isSameDatabaseName(as: column) }
                return isStored ? value : knownValue(column)
            }
        }
        reference = stored
        row = nil
    }
    /// Called before the deletion. By default, does nothing.
    open func willDelete(_ db: Database) throws {}
    /// Called around the deletion: call `delete()` exactly once.
    open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }
    /// Called after the deletion. Subclasses must call super.
    open func didDelete(deleted: Bool) {
        reference = nil
        row = nil
    }

    // MARK: Changes

    /// The columns whose values differ from the last known stored values, with the stored values; nil for a column
    /// whose stored value is unknown.
    public var databaseChanges: [String: DatabaseValue?] {
        get throws {
            var changes: [String: DatabaseValue?] = [:]
            for (column, value) in try PersistenceContainer(self) {
                let stored = knownValue(column)
                if stored.map({ isStored($0, value) }) != true { changes[column] = .some(stored) }
            }
            return changes
        }
    }

    /// Whether the record has changes that are not stored.
    public var hasDatabaseChanges: Bool {
        // A record that can't be encoded differs from the stored values.
        (try? !databaseChanges.isEmpty) ?? true
    }

    private func isStored(_ stored: DatabaseValue, _ value: DatabaseValue) -> Bool {
        stored.isStored(as: value) || reference == nil && stored.isSameNumber(as: value)
    }

    private func knownValue(_ column: String) -> DatabaseValue? {
        if let reference { return reference.value(forColumn: column) }
        return row.flatMap { $0.hasColumn(column) ? $0[column] as DatabaseValue : nil }
    }

    /// Updates the changed columns. Without changes, the database is not accessed.
    ///
    /// - Returns: whether the row was updated.
    /// - Throws: a ``RecordError`` if no row has the primary key.
    @discardableResult
    public final func updateChanges(_ db: Database) throws -> Bool {
        let changes = try databaseChanges
        guard !changes.isEmpty else { return false }
        try update(db, columns: changes.keys)
        return true
    }
}

/// Not available: the macro `@Record` is part of `RowanRecords`. The plugin is one from the toolchain, which writes
/// nothing here.
///
/// Article: <doc:RecordsByMacro>.
@_documentation(visibility: internal)
@available(
    *, unavailable, message: "@Record is a macro of RowanRecords: write `import RowanRecords` instead of `import Rowan`"
)
@attached(peer)
public macro Record(_ tableName: String? = nil, memberwise: Bool = false) =
    #externalMacro(module: "ObservationMacros", type: "ObservationTrackedMacro")
