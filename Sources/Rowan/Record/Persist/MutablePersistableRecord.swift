// The persistence protocols, with their customization points. The methods are in the files of each operation.

/// A record with methods that insert, update and delete it. It can store its rowid when it is inserted.
///
/// ```swift
/// struct Player: Codable, MutablePersistableRecord {
///     var id: Int64?
///     var name: String
///     mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
/// }
/// var player = Player(id: nil, name: "Arthur")
/// try player.insert(db)   // INSERT INTO "player" ("id", "name") VALUES (?,?)
/// ```
///
/// Callbacks are called in this order. Insert and upsert: `willSave`, `aroundSave`, `willInsert`, `aroundInsert`,
/// `didInsert`, `didSave`. Update: `willSave`, `aroundSave`, `willUpdate`, `aroundUpdate`, `didUpdate`, `didSave`.
/// Delete: `willDelete`, `aroundDelete`, `didDelete`.
///
/// Article: <doc:SavingAndUpserting>.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
    /// Called before the insertion.
    mutating func willInsert(_ db: Database) throws
    /// Called around the insertion: call `insert()` exactly once.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws
    /// Called after the insertion. Store the rowid here.
    ///
    /// It isn't called if no row was inserted because a conflict was ignored or a trigger replaced the insertion.
    mutating func didInsert(_ inserted: InsertionSuccess)

    /// Called before an update, with the columns that the program names or all columns that the record encodes.
    ///
    /// A struct may change itself. The changes are stored if they concern the updated columns. The program's own value
    /// does not change, because `update` is not mutating.
    mutating func willUpdate(_ db: Database, columns: Set<String>) throws
    /// Called around the update: call `update()` exactly once.
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws
    /// Called after the update.
    func didUpdate(_ updated: PersistenceSuccess)

    /// Called before the insertion or the update.
    func willSave(_ db: Database) throws
    /// Called around the insertion or the update: call `save()` exactly once.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws
    /// Called after the insertion or the update.
    func didSave(_ saved: PersistenceSuccess)

    /// Called before the deletion.
    func willDelete(_ db: Database) throws
    /// Called around the deletion: call `delete()` exactly once.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws
    /// Called after the deletion.
    func didDelete(deleted: Bool)

    /// Stores the values of the record, in the order of its layout. For generated code: see ``PositionalRecord``.
    func _bind(to binder: inout RecordBinder) throws
    /// Keeps the rowid of the inserted record, before `didInsert`. For generated code.
    mutating func _didInsert(rowID: Int64)
}

// The default implementations only report themselves to a probe: see CallbackProbe.
extension MutablePersistableRecord {
    /// By default, does nothing.
    @inlinable
    public mutating func willInsert(_ db: Database) throws { db.hasDefault(.willInsert, Self.self) }
    /// By default, only inserts the record.
    @inlinable
    public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        db.hasDefault(.aroundInsert, Self.self)
        _ = try insert()
    }
    /// By default, does nothing.
    @inlinable
    public mutating func didInsert(_ inserted: InsertionSuccess) { inserted.key.probe?.note(.didInsert, Self.self) }
    /// By default, does nothing.
    @inlinable
    public func willUpdate(_ db: Database, columns: Set<String>) throws { db.hasDefault(.willUpdate, Self.self) }
    /// By default, only updates the record.
    @inlinable
    public func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
        db.hasDefault(.aroundUpdate, Self.self)
        _ = try update()
    }
    /// By default, does nothing.
    @inlinable
    public func didUpdate(_ updated: PersistenceSuccess) { updated.probe?.note(.didUpdate, Self.self) }
    /// By default, does nothing.
    @inlinable
    public func willSave(_ db: Database) throws { db.hasDefault(.willSave, Self.self) }
    /// By default, only saves the record.
    @inlinable
    public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        db.hasDefault(.aroundSave, Self.self)
        _ = try save()
    }
    /// By default, does nothing.
    @inlinable
    public func didSave(_ saved: PersistenceSuccess) {
        (saved.insertedRowID?.key.probe ?? saved.probe)?.note(.didSave, Self.self)
    }
    /// By default, does nothing.
    @inlinable
    public func willDelete(_ db: Database) throws {}
    /// By default, only deletes the record.
    @inlinable
    public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }
    /// By default, does nothing.
    @inlinable
    public func didDelete(deleted: Bool) {}
    /// By default, does nothing: only types with a layout are stored this way.
    @inlinable
    public func _bind(to binder: inout RecordBinder) throws {}
    /// By default, does nothing.
    @inlinable
    public mutating func _didInsert(rowID: Int64) {}
}

/// A record that does not change when it is inserted: a class, or a struct without a generated key.
///
/// ```swift
/// struct Country: Codable, PersistableRecord {
///     var code: String
///     var name: String
/// }
/// try Country(code: "FR", name: "France").insert(db)
/// ```
///
/// Article: <doc:SavingAndUpserting>.
public protocol PersistableRecord: MutablePersistableRecord {
    /// Called before the insertion.
    func willInsert(_ db: Database) throws
    /// Called after the insertion.
    func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
    /// By default, does nothing.
    @inlinable
    public func willInsert(_ db: Database) throws { db.hasDefault(.willInsert, Self.self) }
    /// By default, does nothing.
    @inlinable
    public func didInsert(_ inserted: InsertionSuccess) { inserted.key.probe?.note(.didInsert, Self.self) }
}
