// The migrations of a program, in their order. This file registers them; DatabaseMigrator+Migrate runs them.

public import Foundation

/// Brings the schema of a database from any of its versions to the latest one.
///
/// ```swift
/// var migrator = DatabaseMigrator()
///
/// migrator.registerMigration("Create authors") { db in
///     try db.create(table: "author") { t in
///         t.autoIncrementedPrimaryKey("id")
///         t.column("name", .text).notNull()
///     }
/// }
///
/// migrator.registerMigration("Create books") { db in
///     try db.create(table: "book") { t in
///         t.autoIncrementedPrimaryKey("id")
///         t.belongsTo("author", onDelete: .cascade).notNull()
///         t.column("title", .text).notNull()
///     }
/// }
///
/// try migrator.migrate(dbQueue)
/// ```
///
/// Each migration runs once, in its own transaction. The database itself stores which migrations have run, in the table
/// `grdb_migrations`: databases that other programs have migrated with the documented API stay valid.
///
/// A migration that fails leaves the database as it was before that migration. Several processes may migrate the same
/// file at the same time: one of them runs each migration, and the others wait for it.
///
/// Article: <doc:Migrations>.
public struct DatabaseMigrator: Sendable {
    /// When a migration checks foreign keys.
    public enum ForeignKeyChecks: Sendable {
        /// At the end of the migration, in the whole main database. Foreign keys are not enforced before: a migration may
        /// create tables anew.
        case deferred
        /// At each statement, as usual. Such a migration must not create tables anew.
        case immediate
        /// At the end of the migration, but only in the tables that the migration may have changed, and in those that
        /// refer to them. This takes less time than `deferred` in a large database.
        case changedTables
    }

    var registered: [Migration] = []
    private var identifiers: Set<String> = []

    /// The place of the migrations in memory: copies of a migrator share it, as long as one of them lives.
    package var storageIdentity: UInt { registered.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

    private var isCheckingDeferred = true

    /// Whether a changed definition of the migrations deletes the database, and creates it anew. False by default.
    ///
    /// This is for the development of migrations: it deletes the data of users. A definition has changed if a migration
    /// that has run is not registered any more, or if the migrations that have run would create another schema today:
    /// see ``hasSchemaChanges(_:)``.
    ///
    /// ```swift
    /// #if DEBUG
    /// migrator.eraseDatabaseOnSchemaChange = true
    /// #endif
    /// ```
    public var eraseDatabaseOnSchemaChange = false

    /// How long the migrator waits for other connections that lock the database, in seconds: for example, for another
    /// process that migrates it. 60 by default.
    ///
    /// It has no effect if ``Configuration/busyMode`` waits longer, or is a callback.
    public var lockTimeout: TimeInterval = 60

    /// The file that the database is copied to before migrations run, or nil. Nil by default.
    ///
    /// The copy is the database as the first of these migrations finds it. It replaces the file only when it is
    /// complete. A database whose migrations have all run is not copied. A database that
    /// ``eraseDatabaseOnSchemaChange`` erases is copied before.
    public var backupPath: String?

    /// A function that is called as migrations run, on the thread of the migrations.
    ///
    /// ```swift
    /// migrator.onProgress = { progress in
    ///     print("\(progress.index + 1) of \(progress.count): \(progress.identifier) \(progress.fractionCompleted)")
    /// }
    /// ```
    public var onProgress: (@Sendable (MigrationProgress) -> Void)?

    /// Creates a migrator without migrations.
    public init() {}

    // MARK: Registering

    /// The migrator with its deferred checks of foreign keys disabled: the migrations that it registers from then on
    /// check no foreign key, unless they ask for immediate checks.
    ///
    /// Such a migration can leave violations in the database. It can check some tables itself, with
    /// ``Database/checkForeignKeys(in:in:)``.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.isCheckingDeferred = false
        return migrator
    }

    /// Registers a migration, after those that are registered already.
    ///
    /// - Parameters:
    ///   - identifier: the name of the migration, which the database stores.
    ///   - foreignKeyChecks: when the migration checks foreign keys; by default, at its end.
    ///   - migrate: changes the database, in a transaction.
    /// - Precondition: no migration with this identifier is registered.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (Database) throws -> Void
    ) {
        register(Migration(identifier, checks(foreignKeyChecks)) { db, _ in try migrate(db) })
    }

    /// Registers a migration that takes the place of several ones.
    ///
    /// ```swift
    /// // In place of the migrations "v1" and "v2"
    /// migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, applied in
    ///     if !applied.contains("v1") { try createAuthors(db) }
    ///     if !applied.contains("v2") { try createBooks(db) }
    /// }
    /// ```
    ///
    /// After the migration, the database does not store the merged identifiers any more.
    ///
    /// - Parameters:
    ///   - identifier: the name of the migration, which the database stores.
    ///   - foreignKeyChecks: when the migration checks foreign keys; by default, at its end.
    ///   - mergedIdentifiers: the names of the migrations that this one replaces.
    ///   - migrate: changes the database, in a transaction. Its second argument contains the merged identifiers that
    ///     have already run.
    /// - Precondition: no migration with this identifier is registered.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        merging mergedIdentifiers: Set<String> = [],
        migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
    ) {
        register(Migration(identifier, checks(foreignKeyChecks), merging: mergedIdentifiers, migrate))
    }

    mutating func register(_ migration: Migration) {
        stopUnless(
            identifiers.insert(migration.identifier).inserted,
            "the migration \"\(migration.identifier)\" is registered twice: give each migration its own identifier")
        registered.append(migration)
    }

    func checks(_ checks: ForeignKeyChecks) -> Migration.Checks {
        switch checks {
        case .deferred: isCheckingDeferred ? .deferred : .none
        case .immediate: .immediate
        case .changedTables: .changedTables
        }
    }

    /// The identifiers of the registered migrations, in their order.
    public var migrations: [String] { registered.map(\.identifier) }
}
