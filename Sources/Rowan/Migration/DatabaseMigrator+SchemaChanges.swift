// The schema that the migrations create today, compared with the actual schema.

import RowanPlatform

extension DatabaseMigrator {
    /// Whether the definition of the migrations that have run has changed: one of them is no longer registered, or they
    /// would create another schema today.
    ///
    /// The schemas are compared as SQL: spaces, comments, quotes and the case of words make no difference. In a
    /// database where no registered migration has run, nothing has changed.
    ///
    /// - Throws: a ``DatabaseError``, or an error of a migration.
    /// - Complexity: runs the migrations that have run, on an empty database in a temporary file.
    public func hasSchemaChanges(_ db: Database) throws -> Bool {
        try db.inOneState {
            if try hasBeenSuperseded(db) { return true }
            let applied = try AppliedMigrations(db)
            guard registered.contains(where: applied.contains) else { return false }
            return try !schemaDifferences(db).isEmpty
        }
    }

    /// Erases a database if the definition of its migrations has changed.
    func eraseChangedDatabase(_ db: Database, _ backup: inout MigrationBackup?) throws {
        func state() throws -> (Set<String>, Int32) { (try appliedIdentifiers(db), try db.schemaVersion()) }
        let (isChanged, compared) = try db.inOneState { (try hasSchemaChanges(db), try state()) }
        // Erasing is not part of a transaction: another process may have erased and migrated the database in the
        // meantime.
        guard isChanged, try db.inOneState(state) == compared else { return }
        try backup?.beforeErasing(db)
        try db.erase()
    }

    /// The differences between the schema of the database and the one that the migrations that have run create in an
    /// empty database: tables, indexes, views and triggers that are missing, that no migration creates, or that differ.
    ///
    /// ```swift
    /// for difference in try dbQueue.read(migrator.schemaDifferences) {
    ///     print(difference)   // table player: the column score is missing
    /// }
    /// ```
    ///
    /// What a migration that is no longer registered has created is reported. If a migration that merges others has not
    /// run, but some of these have, nothing is reported, because their schema can't be recreated.
    ///
    /// - Throws: a ``DatabaseError``, or an error of a migration.
    /// - Complexity: runs the migrations that have run, on an empty database in a temporary file.
    public func schemaDifferences(_ db: Database) throws -> [SchemaDifference] {
        try db.inOneState { try differences(db) }
    }

    private func differences(_ db: Database) throws -> [SchemaDifference] {
        let applied = try AppliedMigrations(db)
        // Until the migration that merges them has run, merged migrations can't be repeated.
        let isMerging = registered.contains { migration in
            !applied.contains(migration) && !migration.mergedIdentifiers.isDisjoint(with: applied.identifiers)
        }
        if isMerging { return [] }
        let current = try SchemaSnapshot(db, excluding: AppliedMigrations.owns)
        let expected = try freshSchema(registered.filter(applied.contains), db.configuration)
        return current.differences(from: expected)
    }

    /// The schema that migrations create in an empty database.
    func freshSchema(_ migrations: [Migration], _ configuration: Configuration) throws -> SchemaSnapshot {
        try withScratchDatabase(configuration) { db in
            try ForeignKeyEnforcement.duringMigrations(db) { enforcement in
                for migration in migrations { try migration.run(db, &enforcement) }
            }
            return try SchemaSnapshot(db, excluding: AppliedMigrations.owns)
        }
    }

    /// The differences of ``schemaDifferences(_:)``, and the migrations that define the tables that differ: the edited ones
    /// are among them.
    package func schemaChanges(_ db: Database) throws -> (differences: [SchemaDifference], migrations: [String]) {
        let applied = try AppliedMigrations(db)
        let differences = try schemaDifferences(db)
        if differences.isEmpty { return ([], []) }
        let candidates = registered.filter { applied.contains($0) }
        return (differences, try migrations(defining: differences, among: candidates, db.configuration))
    }

    /// The migrations that change the tables of differences, or what belongs to them.
    private func migrations(
        defining differences: [SchemaDifference], among migrations: [Migration], _ configuration: Configuration
    ) throws -> [String] {
        func tables(_ differences: [SchemaDifference]) -> Set<String> {
            var names: Set<String> = []
            for difference in differences { names.insert(difference.object.tableName.foldedDatabaseName) }
            return names
        }
        let wanted = tables(differences)
        var result: [String] = []
        try withScratchDatabase(configuration) { db in
            try ForeignKeyEnforcement.duringMigrations(db) { enforcement in
                var before = try SchemaSnapshot(db)
                for migration in migrations {
                    try migration.run(db, &enforcement)
                    let after = try SchemaSnapshot(db, excluding: AppliedMigrations.owns)
                    let changed = tables(after.differences(from: before))
                    if !changed.isDisjoint(with: wanted) { result.append(migration.identifier) }
                    before = after
                }
            }
        }
        return result
    }

    /// Runs the closure with an empty database in a temporary file: SQLite rejects some statements in memory.
    func withScratchDatabase<T>(_ configuration: Configuration, _ body: (Database) throws -> T) throws -> T {
        try withScratchFolder { folder in
            let path = folder.appendingPathComponent("schema.sqlite").path
            let queue = try DatabaseQueue(path: path, configuration: configuration.forScratchDatabase)
            return try queue.writeWithoutTransaction { db in
                // The file is deleted, so a crash may damage it.
                try db.execute(sql: "PRAGMA synchronous = OFF")
                return try body(db)
            }
        }
    }

    /// Runs the closure with a folder that is deleted afterwards.
    private func withScratchFolder<T>(_ body: (URL) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Rowan-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The system deletes remaining temporary files.
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}

extension Database {
    /// Runs reads that see a single state of the database.
    fileprivate func inOneState<T>(_ reads: () throws -> T) throws -> T {
        if isInsideTransaction { return try reads() }
        return try transaction(.deferred, reads)
    }
}

extension Configuration {
    /// The same configuration, for a database that the migrator creates and deletes.
    var forScratchDatabase: Configuration {
        var configuration = self
        configuration.readonly = false
        configuration.journalMode = .default
        configuration.replicatedByLitestream = false
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        configuration.suspensionSource = nil
        configuration.schemaSource = nil
        return configuration
    }
}
