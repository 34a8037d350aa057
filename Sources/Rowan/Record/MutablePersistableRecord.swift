// The persistence protocols: what a record may customise. The methods are in the files of each operation.

import Foundation

/// A record that inserts, updates and deletes itself, and learns its rowid when it is inserted.
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
/// The callbacks are called in this order. Insert and upsert: `willSave`, `aroundSave`, `willInsert`,
/// `aroundInsert`, `didInsert`, `didSave`. Update: `willSave`, `aroundSave`, `willUpdate`, `aroundUpdate`,
/// `didUpdate`, `didSave`. Delete: `willDelete`, `aroundDelete`, `didDelete`.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
    /// What INSERT and UPDATE do when a constraint fails.
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    /// Called before the insertion.
    mutating func willInsert(_ db: Database) throws
    /// Called around the insertion: call `insert()`, once.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws
    /// Called after the insertion: the place to keep the rowid.
    mutating func didInsert(_ inserted: InsertionSuccess)

    /// Called before the update of some columns.
    ///
    /// A struct may change itself: what it changes is stored, in the columns that are updated. The value that the
    /// program holds does not change, since `update` does not mutate it.
    mutating func willUpdate(_ db: Database, columns: Set<String>) throws
    /// Called around the update: call `update()`, once.
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws
    /// Called after the update.
    func didUpdate(_ updated: PersistenceSuccess)

    /// Called before the insertion or the update.
    func willSave(_ db: Database) throws
    /// Called around the insertion or the update: call `save()`, once.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws
    /// Called after the insertion or the update.
    func didSave(_ saved: PersistenceSuccess)

    /// Called before the deletion.
    func willDelete(_ db: Database) throws
    /// Called around the deletion: call `delete()`, once.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws
    /// Called after the deletion.
    func didDelete(deleted: Bool)
}

/// What INSERT and UPDATE do when a constraint fails. <https://sqlite.org/lang_conflict.html>
public struct PersistenceConflictPolicy: Sendable {
    /// The resolution of insertions.
    public let conflictResolutionForInsert: Database.ConflictResolution
    /// The resolution of updates.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}

// The default implementations do nothing but tell the probe of `insertAll` that they are there.
extension MutablePersistableRecord {
    public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    @inlinable
    public mutating func willInsert(_ db: Database) throws { db.hasDefault(.willInsert, Self.self) }
    @inlinable
    public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        db.hasDefault(.aroundInsert, Self.self)
        _ = try insert()
    }
    @inlinable
    public mutating func didInsert(_ inserted: InsertionSuccess) { inserted.key.probe?.note(.didInsert, Self.self) }
    @inlinable
    public func willUpdate(_ db: Database, columns: Set<String>) throws {}
    @inlinable
    public func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws { _ = try update() }
    @inlinable
    public func didUpdate(_ updated: PersistenceSuccess) {}
    @inlinable
    public func willSave(_ db: Database) throws { db.hasDefault(.willSave, Self.self) }
    @inlinable
    public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        db.hasDefault(.aroundSave, Self.self)
        _ = try save()
    }
    @inlinable
    public func didSave(_ saved: PersistenceSuccess) { saved.insertedRowID?.key.probe?.note(.didSave, Self.self) }
    @inlinable
    public func willDelete(_ db: Database) throws {}
    @inlinable
    public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }
    @inlinable
    public func didDelete(deleted: Bool) {}
}

/// A record that does not change when it is inserted: a class, or a struct without generated key.
///
/// ```swift
/// struct Country: Codable, PersistableRecord {
///     var code: String
///     var name: String
/// }
/// try Country(code: "FR", name: "France").insert(db)
/// ```
public protocol PersistableRecord: MutablePersistableRecord {
    /// Called before the insertion.
    func willInsert(_ db: Database) throws
    /// Called after the insertion.
    func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
    @inlinable
    public func willInsert(_ db: Database) throws { db.hasDefault(.willInsert, Self.self) }
    @inlinable
    public func didInsert(_ inserted: InsertionSuccess) { inserted.key.probe?.note(.didInsert, Self.self) }
}

extension MutablePersistableRecord {
    public static var _updateConflictResolution: Database.ConflictResolution? {
        let resolution = persistenceConflictPolicy.conflictResolutionForUpdate
        return resolution == .abort ? nil : resolution
    }
}
