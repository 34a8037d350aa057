import Foundation
import Rowan

/// Opens the database of the example.
public enum PlacesDatabase {
    /// Opens a database for reading and writing, and creates the file and its tables if they are missing.
    ///
    /// A pool puts the file in WAL mode: other connections and processes read while this one writes.
    public static func open(
        at path: String, log: StatementLog? = nil, observesOtherProcesses: Bool = false
    ) throws -> DatabasePool {
        try naming(path) {
            var configuration = configuration(log: log)
            configuration.observesOtherProcesses = observesOtherProcesses
            let pool = try DatabasePool(path: path, configuration: configuration)
            try migrator.migrate(pool)
            log?.forgetAll()
            return pool
        }
    }

    /// Opens a database that other processes change: observations see their commits.
    public static func openForFollowing(at path: String, log: StatementLog? = nil) throws -> DatabasePool {
        guard FileManager.default.fileExists(atPath: path) else { throw PlacesError.nothingImported(path: path) }
        return try open(at: path, log: log, observesOtherProcesses: true)
    }

    /// Opens an imported database read-only.
    public static func openForReading(at path: String, log: StatementLog? = nil) throws -> DatabaseQueue {
        guard FileManager.default.fileExists(atPath: path) else { throw PlacesError.nothingImported(path: path) }
        return try naming(path) {
            var configuration = configuration(log: log)
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            guard try queue.read({ db in try db.tableExists("place") }) else {
                throw PlacesError.nothingImported(path: path)
            }
            log?.forgetAll()
            return queue
        }
    }

    /// SQLite's own error does not contain the file that could not be opened.
    private static func naming<T>(_ path: String, _ open: () throws -> T) throws -> T {
        do {
            return try open()
        } catch let error as DatabaseError {
            throw PlacesError.cannotOpen(path: path, reason: error.message ?? error.description)
        }
    }

    private static func configuration(log: StatementLog?) -> Configuration {
        var configuration = Configuration()
        // Processes that write wait for each other, for a limited time.
        configuration.busyMode = .timeout(5)
        if let log {
            configuration.prepareDatabase { db in
                let watch = StatementWatch(log: log)
                db.trace(options: [.statement, .profile]) { event in watch.see(event) }
            }
        }
        return configuration
    }

    /// The versions of the tables. A migration that has run in a user's database never changes.
    public static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        // Files of version 1 contain the tables, but no record of migrations.
        migrator.registerMigration("1: places and countries") { db in
            if try !db.tableExists("place") { try createTables(db) }
        }
        migrator.registerMigration("2: indexes of countries") { db in
            try db.create(indexOn: "place", columns: ["countryCode"], options: .ifNotExists)
            try db.create(indexOn: "placeCountry", columns: ["countryCode"], options: .ifNotExists)
        }
        migrator.registerMigration("3: search of titles") { db in
            try db.create(virtualTable: "placeText", using: FTS5()) { t in
                t.synchronize(withTable: "place")
                t.tokenizer = .unicode61()
                t.column("title")
            }
        }
        migrator.registerMigration("4: edits") { db in
            try db.create(table: "edit") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("place", onDelete: .cascade).notNull()
                t.column("isFavorite", .boolean).notNull()
                t.column("time", .integer).notNull()
            }
        }
        return migrator
    }()

    private static func createTables(_ db: Database) throws {
        try db.create(table: "country") { t in
            t.primaryKey("code", .text)
            t.column("name", .text).notNull()
        }
        try db.create(table: "place") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("zone", .text).notNull().unique()
            t.column("title", .text).notNull()
            t.column("isFavorite", .boolean).notNull().defaults(to: false)
            t.belongsTo("country", indexed: false).notNull()
            t.column("latitude", .double).notNull()
            t.column("longitude", .double).notNull()
        }
        try db.create(table: "placeCountry") { t in
            t.primaryKey {
                t.belongsTo("place", onDelete: .cascade, indexed: false)
                t.belongsTo("country", indexed: false)
            }
        }
    }
}
