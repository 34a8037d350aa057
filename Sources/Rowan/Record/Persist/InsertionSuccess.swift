// What a write passes to the callbacks of its record: the stored values, and the key that SQLite has chosen.

/// The properties that all insertions of a plan share.
@usableFromInline
final class InsertedKey: Sendable {
    let rowIDColumn: String?
    /// The name under which a record may keep the rowid: the name of the column, or of a hidden one.
    let rowIDKey: String?
    /// Receives the reports of default implementations.
    @usableFromInline let probe: CallbackProbe?

    init(rowIDColumn: String?, probe: CallbackProbe? = nil) {
        self.rowIDColumn = rowIDColumn
        rowIDKey = rowIDColumn
        self.probe = probe
    }

    init(_ key: PrimaryKeyInfo, probe: CallbackProbe? = nil) {
        (rowIDColumn, rowIDKey) = (key.rowIDColumn, key.rowIDKey)
        self.probe = probe
    }
}

extension PersistenceContainer {
    /// The stored values of an insertion, with the rowid that SQLite has chosen.
    fileprivate func with(_ rowID: Int64, _ key: InsertedKey) -> PersistenceContainer {
        guard let column = key.rowIDColumn else { return self }
        var container = self
        container.set(column, rowID.databaseValue)
        return container
    }
}

/// The result of an insertion.
///
/// Article: <doc:PrimaryKeys>.
public struct InsertionSuccess: Sendable {
    /// The rowid of the inserted row or, for an upsert, of the updated row.
    ///
    /// `aroundInsert` receives 0 if there is no such row because a conflict was ignored or a trigger replaced the
    /// insertion.
    public var rowID: Int64

    /// Whether there is such a row.
    @usableFromInline var hasRow = true

    @usableFromInline var key: InsertedKey

    @usableFromInline var stored: PersistenceContainer

    /// The stored values, including the rowid.
    public var persistenceContainer: PersistenceContainer {
        get { stored.with(rowID, key) }
        set { stored = newValue }
    }

    /// The column that is an alias of the rowid (`INTEGER PRIMARY KEY`), or nil.
    public var rowIDColumn: String? {
        get { key.rowIDColumn }
        set { key = InsertedKey(rowIDColumn: newValue) }
    }

    init(rowID: Int64, key: InsertedKey, persistenceContainer: PersistenceContainer) {
        self.rowID = rowID
        self.key = key
        stored = persistenceContainer
    }
}

/// The result of an insertion or an update.
///
/// Article: <doc:CallbacksAndTimestamps>.
public struct PersistenceSuccess: Sendable {
    @usableFromInline var stored: PersistenceContainer
    /// The rowid of an insertion, and its column. They are added on demand because the container is rarely requested.
    @usableFromInline var insertedRowID: (key: InsertedKey, rowID: Int64)?
    /// The columns that the update should write; nil for all.
    @usableFromInline var updatedColumns: Set<String>?
    /// For updates: receives the reports of default implementations.
    @usableFromInline var probe: CallbackProbe?

    /// The stored values, including the rowid of an insertion.
    public var persistenceContainer: PersistenceContainer {
        get {
            guard let (key, rowID) = insertedRowID else { return stored }
            return stored.with(rowID, key)
        }
        set { (stored, insertedRowID) = (newValue, nil) }
    }

    /// The success of an update.
    ///
    /// - Parameter columns: the columns that the update should write; nil for all.
    @usableFromInline
    init(_ db: Database, updated container: PersistenceContainer, _ columns: Set<String>?) {
        stored = container
        updatedColumns = columns
        probe = db.probe
    }

    /// The success of an insertion.
    @inlinable
    init(_ inserted: InsertionSuccess) {
        stored = inserted.stored
        insertedRowID = (inserted.key, inserted.rowID)
    }
}

extension InsertionSuccess {
    /// The result of the statement that has just run.
    ///
    /// - Parameter rowID: the rowid; nil for that of the last inserted row.
    @inline(__always)
    init(_ db: Database, _ plan: WritePlan, _ container: PersistenceContainer, rowID: Int64? = nil) throws {
        let hasRow = rowID != nil || db.changesCount > 0
        // SQLite does not report the rowid of a row that an upsert has updated.
        let hasRowID = hasRow && (rowID != nil || !plan.isUpsert)
        self.init(
            rowID: hasRow ? rowID ?? db.lastInsertedRowID : 0,
            key: hasRowID ? try db.insertedKey(plan) : InsertedKey(rowIDColumn: nil, probe: db.probe),
            persistenceContainer: container)
        self.hasRow = hasRow
    }

    /// Whether a generated record keeps the rowid.
    @usableFromInline
    func keepsRowID(_ layout: RecordLayout) -> Bool { layout.keepsRowID(inColumn: key.rowIDKey) }
}
