// The migrations of a program, in order. This file registers them; DatabaseMigrator+Migrate runs them.

public import RowanPlatform

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
/// Each migration runs once, in its own transaction. The database itself stores which migrations have run in the table
/// `grdb_migrations`, so databases that other programs have migrated with the documented API stay valid.
///
/// A failed migration leaves the database unchanged. Several processes may migrate the same file at the same time: one
/// of them runs each migration while the others wait.
///
/// Article: <doc:Migrations>.
public struct DatabaseMigrator: Sendable {
    /// The time at which a migration checks foreign keys.
    public enum ForeignKeyChecks: Sendable {
        /// At the end of the migration, in the whole main database. Foreign keys are not enforced before, so a
        /// migration may recreate tables.
        case deferred
        /// At each statement, as usual. Such a migration must not recreate tables.
        case immediate
        /// At the end of the migration, but only in the tables that the migration may have changed and in those that
        /// refer to them. In a large database, this takes less time than `deferred`.
        case changedTables
    }

    var registered: [Migration] = []
    private var identifiers: Set<String> = []

    /// The address of the migrations in memory. Copies of a migrator share it while one of them exists.
    package var storageIdentity: UInt { registered.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

    private var isCheckingDeferred = true

    /// Whether a changed definition of the migrations deletes and recreates the database. False by default.
    ///
    /// This is for developing migrations: it deletes user data. A definition has changed if a migration that has run is
    /// no longer registered, or if the migrations that have run would create another schema today: see
    /// ``hasSchemaChanges(_:)``.
    ///
    /// ```swift
    /// #if DEBUG
    /// migrator.eraseDatabaseOnSchemaChange = true
    /// #endif
    /// ```
    public var eraseDatabaseOnSchemaChange = false

    /// Whether the migrator refuses to run migrations that others don't run in the same way. False by default.
    ///
    /// If true, ``migrate(_:)`` throws an error before anything runs
    ///
    /// - if a migration was inserted before one that has already run: ``MigrationError/inserted(_:before:)``. If false,
    ///   it runs late, and ``Database/logError`` gets a warning;
    /// - if the migrations that have run would create another schema today, because one of them was edited:
    ///   ``MigrationError/schemaChanged(_:migrations:)``. This runs them on an empty database, at each call.
    ///
    /// ```swift
    /// migrator.strict = true
    /// ```
    public var strict = false

    /// The time in seconds that the migrator waits for other connections that lock the database, for example in another
    /// process that migrates it. 60 by default.
    ///
    /// It has no effect if ``Configuration/busyMode`` waits longer, or is a callback.
    public var lockTimeout: TimeInterval = 60

    /// The file to which the database is copied before migrations run. Nil by default.
    ///
    /// The copy is the database as the first of these migrations finds it. It replaces the file only when it is
    /// complete, and has the permissions of the database. If all migrations have run, the database is not copied. A
    /// database that ``eraseDatabaseOnSchemaChange`` erases is copied first.
    public var backupPath: String?

    /// A function that is called while migrations run, on the thread of the migrations.
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

    /// The migrator with its deferred foreign-key checks disabled. Migrations registered from then on check no foreign
    /// keys unless they request immediate checks.
    ///
    /// Such a migration can leave violations in the database. It can check some tables itself with
    /// ``Database/checkForeignKeys(in:in:)``.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.isCheckingDeferred = false
        return migrator
    }

    /// Registers a migration, after those already registered.
    ///
    /// - Parameters:
    ///   - identifier: the name of the migration, which the database stores.
    ///   - foreignKeyChecks: when the migration checks foreign keys; by default, at its end.
    ///   - migrate: a closure that changes the database in a transaction.
    /// - Precondition: no migration with this identifier is registered.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (Database) throws -> Void
    ) {
        register(Migration(identifier, checks(foreignKeyChecks)) { db, _ in try migrate(db) })
    }

    /// Registers a migration that replaces several others.
    ///
    /// ```swift
    /// // In place of the migrations "v1" and "v2"
    /// migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, applied in
    ///     if !applied.contains("v1") { try createAuthors(db) }
    ///     if !applied.contains("v2") { try createBooks(db) }
    /// }
    /// ```
    ///
    /// After the migration, the database no longer stores the merged identifiers.
    ///
    /// - Parameters:
    ///   - identifier: the name of the migration, which the database stores.
    ///   - foreignKeyChecks: when the migration checks foreign keys; by default, at its end.
    ///   - mergedIdentifiers: the names of the migrations that this one replaces.
    ///   - migrate: a closure that changes the database in a transaction. Its second argument contains the merged
    ///     identifiers that have already run.
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

    /// The identifiers of the registered migrations, in order.
    public var migrations: [String] { registered.map(\.identifier) }
}
