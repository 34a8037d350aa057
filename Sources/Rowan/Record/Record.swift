// The Record class: a base class for records that know their own changes.

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
/// Prefer structs: they have all of this, but `hasDatabaseChanges`.
open class Record: FetchableRecord, PersistableRecord {
    /// What the database is known to store, nil for a record that was never stored.
    private var reference: PersistenceContainer?
    /// The row that the record was built from, until its own values are asked for.
    private var row: Row?

    /// A record that is not in the database.
    public init() {}

    /// A record that is in the database, as the row says.
    public required init(row: Row) throws { self.row = row.copy() }

    /// The name of the table. Subclasses must override it.
    open class var databaseTableName: String { preconditionFailure("\(self) must override databaseTableName") }

    open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    open class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// Sets the values of the columns. Subclasses override it.
    open func encode(to container: inout PersistenceContainer) throws {}

    // MARK: Callbacks

    open func willInsert(_ db: Database) throws {}
    open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { _ = try insert() }
    /// Subclasses call super.
    open func didInsert(_ inserted: InsertionSuccess) {}
    open func willUpdate(_ db: Database, columns: Set<String>) throws {}
    open func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws { _ = try update() }
    open func didUpdate(_ updated: PersistenceSuccess) {}
    open func willSave(_ db: Database) throws {}
    open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }
    /// Subclasses call super.
    open func didSave(_ saved: PersistenceSuccess) {
        var reference = PersistenceContainer()
        let columns = saved.updatedColumns.map { Set($0.map(\.foldedDatabaseName)) }
        for (column, value) in saved.persistenceContainer {
            // An update of some columns leaves the others as they were.
            let isStored = columns?.contains(column.foldedDatabaseName) ?? true
            if let stored = isStored ? value : knownValue(column) { reference.set(column, stored) }
        }
        self.reference = reference
        row = nil
    }
    open func willDelete(_ db: Database) throws {}
    open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }
    /// Subclasses call super.
    open func didDelete(deleted: Bool) {
        reference = nil
        row = nil
    }

    // MARK: Changes

    /// The columns whose value differs from what the database is known to store, with the stored value; nil for a
    /// column whose stored value is not known.
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

    /// Whether the record has changes that are not in the database.
    public var hasDatabaseChanges: Bool {
        // A record that can't be encoded can't be what is stored.
        (try? !databaseChanges.isEmpty) ?? true
    }

    private func isStored(_ stored: DatabaseValue, _ value: DatabaseValue) -> Bool {
        stored.isStored(as: value) || reference == nil && stored.isSameNumber(as: value)
    }

    private func knownValue(_ column: String) -> DatabaseValue? {
        if let reference { return reference.value(forColumn: column) }
        return row.flatMap { $0.hasColumn(column) ? $0[column] as DatabaseValue : nil }
    }

    /// Updates the columns that have changed. Without change, the database is not accessed.
    ///
    /// - Returns: whether the row was updated.
    /// - Throws: ``RecordError`` if no row has the primary key.
    @discardableResult
    public final func updateChanges(_ db: Database) throws -> Bool {
        let changes = try databaseChanges
        guard !changes.isEmpty else { return false }
        try update(db, columns: changes.keys)
        return true
    }
}
