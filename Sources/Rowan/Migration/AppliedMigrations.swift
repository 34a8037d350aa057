// The record of the migrations that have run, in tables of the database.

/// The migrations that have run.
struct AppliedMigrations {
    /// This table is named and defined by the documented API.
    private static let table = "main.grdb_migrations"
    /// The checksums of migrations in SQL.
    private static let checksumTable = "main.rowan_migration_checksums"

    let identifiers: Set<String>

    init(_ db: Database) throws {
        guard try db.tableExists("grdb_migrations", in: "main") else {
            identifiers = []
            return
        }
        do {
            identifiers = try Set(String.fetchAll(db, sql: "SELECT identifier FROM \(Self.table)"))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            try Self.checkTable(db)
            throw error
        }
    }

    func contains(_ migration: Migration) -> Bool { identifiers.contains(migration.identifier) }

    /// Whether a migration has run, as seen by a transaction of this connection.
    static func has(_ migration: Migration, _ db: Database) throws -> Bool {
        try onTable(db) {
            try Bool.fetchOne(
                db, sql: "SELECT 1 FROM \(table) WHERE identifier = ?", arguments: [migration.identifier]) ?? false
        } withoutTable: {
            false
        }
    }

    /// Uses the table of the identifiers. Checking whether it exists before each migration takes longer than using it
    /// (benchmark migrate-100).
    private static func onTable<T>(
        _ db: Database, _ body: () throws -> T, withoutTable: () throws -> T
    ) throws -> T {
        do { return try body() } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            if try db.tableExists("grdb_migrations", in: "main") {
                try checkTable(db)
                throw error
            }
            return try withoutTable()
        }
    }

    /// Throws an error if the table has another purpose.
    private static func checkTable(_ db: Database) throws {
        let columns = try db.columns(in: "grdb_migrations", in: "main").map(\.name)
        guard !columns.contains(where: "identifier".isSameDatabaseName) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_ERROR,
            message: "the table grdb_migrations has no column identifier, so it does not list migrations: rename it "
                + "before the database is migrated")
    }

    /// Records a migration in place of those that it merges.
    static func record(_ migration: Migration, _ db: Database) throws {
        if !migration.mergedIdentifiers.isEmpty, try db.tableExists("grdb_migrations", in: "main") {
            try delete(migration.mergedIdentifiers, db)
        }
        let insert = {
            try db.execute(
                sql: "INSERT INTO \(table) (identifier) VALUES (?)", arguments: [migration.identifier])
        }
        try onTable(db, insert) {
            try db.execute(sql: "CREATE TABLE \(table) (identifier TEXT NOT NULL PRIMARY KEY)")
            try insert()
        }
        guard let checksum = migration.checksum else { return }
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(checksumTable) (identifier TEXT NOT NULL PRIMARY KEY, checksum TEXT NOT NULL)
                """)
        try db.execute(
            sql: "INSERT OR REPLACE INTO \(checksumTable) (identifier, checksum) VALUES (?, ?)",
            arguments: [migration.identifier, checksum])
    }

    /// Removes identifiers merged by migrations that have run.
    static func forget(_ identifiers: Set<String>, _ db: Database) throws {
        guard !identifiers.isEmpty else { return }
        try db.inTransaction(.immediate) {
            try delete(identifiers, db)
            return .commit
        }
    }

    private static func delete(_ identifiers: Set<String>, _ db: Database) throws {
        var tables = [table]
        if try db.tableExists("rowan_migration_checksums", in: "main") { tables.append(checksumTable) }
        for table in tables {
            for identifier in identifiers {
                try db.execute(sql: "DELETE FROM \(table) WHERE identifier = ?", arguments: [identifier])
            }
        }
    }

    /// - Throws: ``MigrationError/edited(_:)`` if the SQL of migrations that have run has changed since.
    static func refuseEdited(_ migrations: [Migration], _ db: Database) throws {
        let edited = try edited(migrations, db)
        guard edited.isEmpty else { throw MigrationError.edited(edited) }
    }

    /// The migrations that have run and whose SQL has changed since.
    static func edited(_ migrations: [Migration], _ db: Database) throws -> [String] {
        guard migrations.contains(where: { $0.checksum != nil }) else { return [] }
        let checksums = try checksums(db)
        return migrations.filter { migration in
            guard let checksum = migration.checksum, let known = checksums[migration.identifier] else { return false }
            return checksum != known
        }.map(\.identifier)
    }

    /// The checksums of the migrations in SQL, by identifier.
    private static func checksums(_ db: Database) throws -> [String: String] {
        guard try db.tableExists("rowan_migration_checksums", in: "main") else { return [:] }
        let rows = try Row.fetchAll(db, sql: "SELECT identifier, checksum FROM \(checksumTable)")
        return Dictionary(rows.map { ($0[0], $0[1]) }) { _, last in last }
    }

    /// Whether a table belongs to the migrator rather than to the migrations.
    static func owns(_ object: SchemaObject) -> Bool {
        ["grdb_migrations", "rowan_migration_checksums"].contains(object.tableName.foldedDatabaseName)
    }
}
