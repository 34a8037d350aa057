import Foundation
import GRDB
import GRDBSQLite

/// A record whose declarations contain the module's name.
public struct Player: Codable, Hashable, Sendable, Identifiable, GRDB.FetchableRecord, GRDB.MutablePersistableRecord {
    public var id: Int64?
    public var name: String
    public var score: Int

    public enum Columns {
        public static let id = GRDB.Column("id")
        public static let name = GRDB.Column(CodingKeys.name)
        public static let score = GRDB.Column(CodingKeys.score)
    }

    public init(id: Int64? = nil, name: String, score: Int) {
        self.id = id
        self.name = name
        self.score = score
    }

    public mutating func didInsert(_ inserted: GRDB.InsertionSuccess) { id = inserted.rowID }
}

extension GRDB.DerivableRequest<Player> {
    /// The players in descending order of score.
    public func best() -> Self { order(Player.Columns.score.desc, Player.Columns.name) }
}

/// A store that other modules use without importing the library.
public final class PlayerStore: Sendable {
    private let writer: any GRDB.DatabaseWriter

    public init(path: String? = nil) throws {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: GRDB.DatabaseFunction("double", argumentCount: 1, pure: true) { values in
                    Int.fromDatabaseValue(values[0]).map { $0 * 2 }
                })
        }
        writer =
            try path.map { try GRDB.DatabasePool(path: $0, configuration: configuration) }
            ?? GRDB.DatabaseQueue(configuration: configuration)
        try Self.migrator.migrate(writer)
    }

    private static var migrator: GRDB.DatabaseMigrator {
        var migrator = GRDB.DatabaseMigrator()
        migrator.registerMigration("players") { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique()
                t.column("score", .integer).notNull()
            }
        }
        return migrator
    }

    public func save(_ player: Player) async throws -> Player {
        try await writer.write { db in try player.saved(db) }
    }

    public func best() throws -> [Player] { try writer.read { try Player.all().best().fetchAll($0) } }

    public func doubled(_ score: Int) throws -> Int? {
        try writer.read { db in try Int.fetchOne(db, sql: "SELECT double(?)", arguments: [score]) }
    }

    public func counts() -> GRDB.AsyncValueObservation<Int> {
        GRDB.ValueObservation.tracking(Player.fetchCount).values(in: writer)
    }

    /// The version of SQLite, from its C API.
    public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

    /// The number of changes made by the connection, from the C API.
    public func changes() throws -> CInt {
        try writer.read { db in sqlite3_total_changes(db.sqliteConnection) }
    }
}
