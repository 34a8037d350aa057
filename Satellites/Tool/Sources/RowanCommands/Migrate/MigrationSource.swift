// Where migrations come from, and what a database says about them.

import ArgumentParser
import Foundation
public import Rowan

/// Commands for the migrations of a program, which are written in Swift.
///
/// ```swift
/// // swift run MyProgram migrate status players.sqlite
/// if CommandLine.arguments.dropFirst().first == "migrate" {
///     exit(await MigrationCommands.execute(migrator, Array(CommandLine.arguments.dropFirst())))
/// }
/// ```
public enum MigrationCommands {
    @TaskLocal static var migrator: DatabaseMigrator?

    /// Runs a command of `rowan migrate` with the migrations of a migrator.
    ///
    /// - Parameter arguments: the arguments, such as `["migrate", "status", "players.sqlite"]`.
    /// - Returns: the exit code: see ``RowanCommand``.
    public static func execute(_ migrator: DatabaseMigrator, _ arguments: [String]) async -> Int32 {
        await $migrator.withValue(migrator) { await RowanCommand.execute(arguments) }
    }
}

/// The folder of the migrations.
struct MigrationFolder: ParsableArguments {
    @Option(
        name: [.customLong("migrations"), .customShort("m")],
        help: "The folder with the SQL files of the migrations, whose names decide their order.", completion: .directory
    )
    var folder = "migrations"

    func migrator() throws -> DatabaseMigrator {
        if let migrator = MigrationCommands.migrator { return migrator }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw Failure(message: "there is no folder \(folder): pass the one with the migrations as --migrations")
        }
        var migrator = DatabaseMigrator()
        do { try migrator.registerMigrations(in: URL(filePath: folder, directoryHint: .isDirectory)) } catch {
            throw Failure(message: "can't read the migrations in \(folder): \(error.localizedDescription)")
        }
        return migrator
    }
}

/// The migrations of a database, compared with those that are registered.
struct MigrationStates: Sendable {
    enum State: String, Sendable { case applied, pending, edited, unknown }

    var states: [(identifier: String, state: State)] = []

    var pending: [String] { states.filter { $0.state == .pending }.map(\.identifier) }
    /// Those that prevent further migrations.
    var wrong: [(identifier: String, state: State)] { states.filter { $0.state == .edited || $0.state == .unknown } }

    init(_ migrator: DatabaseMigrator, _ db: Database) throws {
        let applied = try migrator.appliedIdentifiers(db)
        let edited = try Set(migrator.editedMigrations(db))
        for identifier in migrator.migrations {
            let state: State =
                edited.contains(identifier) ? .edited : applied.contains(identifier) ? .applied : .pending
            states.append((identifier, state))
        }
        if try migrator.hasBeenSuperseded(db) {
            states += applied.subtracting(migrator.migrations).sorted().map { ($0, .unknown) }
        }
    }

    /// - Throws: a `Failure` if migrations can't run.
    func check() throws {
        guard let (identifier, state) = wrong.first else { return }
        throw Failure(
            message: state == .edited
                ? "the migration \(identifier) was edited after it has run: restore its text, or accept it with rowan migrate "
                    + "repair --accept \(identifier)"
                : "the database has the migration \(identifier), which is not in the folder: add its file, or forget it with "
                    + "rowan migrate repair --forget \(identifier)")
    }
}

/// What a database stores about migrations.
struct MigrationRecords {
    static let tables = ["grdb_migrations", "rowan_migration_checksums"]

    private(set) var checksums: [String: String] = [:]
    /// The definitions of the tables, and their rows.
    private(set) var definitions: [String] = []
    private(set) var identifiers: [String] = []

    init(_ db: Database) throws {
        for table in Self.tables where try db.tableExists(table, in: "main") {
            definitions += try String.fetchAll(
                db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [table])
        }
        if try db.tableExists(Self.tables[0], in: "main") {
            identifiers = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations")
        }
        if try db.tableExists(Self.tables[1], in: "main") {
            let rows = try Row.fetchAll(db, sql: "SELECT identifier, checksum FROM rowan_migration_checksums")
            for row in rows { checksums[row[0]] = row[1] as String }
        }
    }

    /// Those of a new database after migrations.
    static func of(_ migrator: DatabaseMigrator, upTo last: String) throws -> MigrationRecords {
        let queue = try DatabaseQueue(path: "")
        try quietly(migrator).migrate(queue, upTo: last)
        return try queue.read { try MigrationRecords($0) }
    }

    /// The migrator without what it does besides.
    static func quietly(_ migrator: DatabaseMigrator) -> DatabaseMigrator {
        var migrator = migrator
        migrator.eraseDatabaseOnSchemaChange = false
        migrator.backupPath = nil
        migrator.onProgress = nil
        return migrator
    }

    /// Stores migrations as applied.
    func store(_ identifiers: [String], in db: Database) throws {
        for (table, definition) in zip(Self.tables, definitions) where try !db.tableExists(table, in: "main") {
            try db.execute(sql: definition)
        }
        for identifier in identifiers {
            try db.execute(
                sql: "INSERT OR IGNORE INTO grdb_migrations (identifier) VALUES (?)", arguments: [identifier])
            guard let checksum = checksums[identifier] else { continue }
            try db.execute(
                sql: "INSERT OR REPLACE INTO rowan_migration_checksums (identifier, checksum) VALUES (?, ?)",
                arguments: [identifier, checksum])
        }
    }

    static func forget(_ identifier: String, in db: Database) throws {
        for table in tables where try db.tableExists(table, in: "main") {
            try db.execute(sql: "DELETE FROM \(table) WHERE identifier = ?", arguments: [identifier])
        }
    }
}
