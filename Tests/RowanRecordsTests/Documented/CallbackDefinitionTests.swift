// Definitions with callbacks: the single row of a configuration, timestamps, keys generated at insertion, validation.

import Foundation
import Rowan
import RowanRecords
import Testing

private struct Invalid: Error {}

private protocol TimestampedRecord {
    var creationDate: Date? { get set }
    var modificationDate: Date? { get set }
}

extension TimestampedRecord {
    fileprivate mutating func stamp(_ now: Date) { (creationDate, modificationDate) = (creationDate ?? now, now) }
}

extension TimestampedRecord where Self: MutablePersistableRecord {
    fileprivate mutating func willInsert(_ db: Database) throws {
        let now = try db.transactionDate
        (creationDate, modificationDate) = (creationDate ?? now, modificationDate ?? now)
    }

    fileprivate mutating func updateStamped(_ db: Database) throws {
        try stamp(db.transactionDate)
        try update(db)
    }
}

private enum Documented {
    struct AppConfiguration: Codable, FetchableRecord, PersistableRecord {
        static let `default` = AppConfiguration(flag: false)
        private var id = 1
        var flag: Bool

        init(flag: Bool) { self.flag = flag }

        func willUpdate(_ db: Database, columns: Set<String>) throws {
            if try !exists(db) { try Self.default.insert(db) }
        }

        static func fetch(_ db: Database) throws -> Self { try fetchOne(db) ?? .default }
    }

    struct Player: Codable, FetchableRecord, MutablePersistableRecord, TimestampedRecord {
        var id: Int64?
        var creationDate: Date?
        var modificationDate: Date?
        var name: String
        var score: Int

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct TimestampedPlayer: Codable, Identifiable, FetchableRecord, PersistableRecord {
        static var databaseTableName: String { "player" }
        let id: Int64
        let creationDate: Date
        var modificationDate: Date
        var name: String
        var score: Int
    }

    /// The key is generated when the record is inserted.
    struct Link: Codable, FetchableRecord, MutablePersistableRecord {
        var id: UUID?
        var url: String

        mutating func willInsert(_ db: Database) throws {
            if id == nil { id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(url.utf8.count))) }
        }

        func willSave(_ db: Database) throws { if url.isEmpty { throw Invalid() } }
        func willDelete(_ db: Database) throws { if url == "kept" { throw Invalid() } }
    }

    /// A key that may be nil, and is not the rowid.
    struct Tag: Codable, FetchableRecord, MutablePersistableRecord {
        var id: UUID?
        var url: String
    }
}

private enum ByMacro {
    @Record struct AppConfiguration {
        static let `default` = AppConfiguration(flag: false)
        private var id = 1
        var flag: Bool

        init(flag: Bool) { self.flag = flag }

        func willUpdate(_ db: Database, columns: Set<String>) throws {
            if try !exists(db) { try Self.default.insert(db) }
        }

        static func fetch(_ db: Database) throws -> Self { try fetchOne(db) ?? .default }
    }

    @Record struct Player: TimestampedRecord {
        var id: Int64?
        var creationDate: Date?
        var modificationDate: Date?
        var name: String
        var score: Int
    }

    @Record("player") struct TimestampedPlayer {
        let id: Int64
        let creationDate: Date
        var modificationDate: Date
        var name: String
        var score: Int
    }

    /// A `mutating` callback requires the mutable protocol, which the macro derives from the optional key.
    @Record struct Link {
        var id: UUID?
        var url: String

        mutating func willInsert(_ db: Database) throws {
            if id == nil { id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(url.utf8.count))) }
        }

        func willSave(_ db: Database) throws { if url.isEmpty { throw Invalid() } }
        func willDelete(_ db: Database) throws { if url == "kept" { throw Invalid() } }
    }

    @Record struct Tag {
        var id: UUID?
        var url: String
    }
}

private protocol ConfigurationDefinition: FetchableRecord, PersistableRecord {
    static var `default`: Self { get }
    static func fetch(_ db: Database) throws -> Self
    var flag: Bool { get set }
}

extension Documented.AppConfiguration: ConfigurationDefinition {}
extension ByMacro.AppConfiguration: ConfigurationDefinition {}

private protocol PlayerDefinition: TimestampedRecord, FetchableRecord, MutablePersistableRecord {
    init(id: Int64?, creationDate: Date?, modificationDate: Date?, name: String, score: Int)
    var score: Int { get set }
}

extension Documented.Player: PlayerDefinition {}
extension ByMacro.Player: PlayerDefinition {}

@Suite("Documented callbacks")
struct CallbackDefinitionTests {
    @Test("The single row of a configuration")
    func singleRow() throws {
        func trail<Record: ConfigurationDefinition>(_ type: Record.Type) throws -> Trail {
            let schema = """
                CREATE TABLE appConfiguration (
                    id INTEGER PRIMARY KEY ON CONFLICT REPLACE CHECK (id = 1), flag BOOLEAN NOT NULL)
                """
            return try .of(schema) { db, trail in
                for round in 1...3 {
                    trail.note("empty") { try Record.fetch(db) }
                    var record = try Record.fetch(db)
                    trail.note("updateChanges") { try record.updateChanges(db) { $0.flag = true } }
                    trail.note("changed") { try Record.fetch(db) }
                    for flag in [false, true, false] {
                        record.flag = flag
                        trail.note("save") { try record.save(db) }
                        record.flag.toggle()
                        trail.note("update") { try record.update(db) }
                        trail.note("insert") { try record.insert(db) }
                        trail.note("upsert") { try record.upsert(db) }
                    }
                    try trail.keepRows(db)
                    if round < 3 { trail.note("delete") { try record.delete(db) } }
                    trail.note("update without row") { try record.update(db) }
                    trail.note("delete all") { try Record.deleteAll(db) }
                    trail.note("save without row") { try record.save(db) }
                    if round < 3 { trail.note("delete all") { try Record.deleteAll(db) } }
                }
            }
        }
        expectSame(
            try trail(Documented.AppConfiguration.self), try trail(ByMacro.AppConfiguration.self),
            .columnsAreListed(ByMacro.AppConfiguration.self))
    }

    @Test("Timestamps")
    func timestamps() throws {
        func trail<Record: PlayerDefinition, Saved: FetchableRecord & TableRecord>(
            _ type: Record.Type, _ saved: Saved.Type
        ) throws -> Trail {
            var configuration = Configuration()
            configuration.transactionClock = .custom { _ in Date(timeIntervalSince1970: 1_700_000_000.5) }
            let schema = """
                CREATE TABLE player (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, creationDate DATETIME NOT NULL,
                    modificationDate DATETIME NOT NULL, name TEXT NOT NULL, score INTEGER NOT NULL)
                """
            return try .of(schema, configuration: configuration) { db, trail in
                for name in ["Arthur", "Barbara", "Craig"] {
                    var player = Record(id: nil, creationDate: nil, modificationDate: nil, name: name, score: 1)
                    trail.note("inserted") { try player.inserted(db) }
                    trail.note("insert") {
                        try player.insert(db)
                        return player
                    }
                    trail.note("update") {
                        player.score += 1
                        player.modificationDate = Date(timeIntervalSince1970: 0)
                        try player.update(db)
                        return player
                    }
                    trail.note("updateStamped") {
                        try player.updateStamped(db)
                        return player
                    }
                    trail.note("updateChanges") {
                        try player.updateChanges(db) {
                            $0.score += 1
                            $0.modificationDate = try db.transactionDate
                        }
                    }
                    trail.note("insertAndFetch") {
                        var other = Record(id: nil, creationDate: nil, modificationDate: nil, name: name, score: 1)
                        return try other.insertAndFetch(db, as: Saved.self)
                    }
                    trail.note("find") { try Saved.find(db, key: 1) }
                }
                trail.note("all") { try (Record.fetchAll(db), Saved.fetchAll(db)) }
            }
        }
        expectSame(
            try trail(Documented.Player.self, Documented.TimestampedPlayer.self),
            try trail(ByMacro.Player.self, ByMacro.TimestampedPlayer.self), .columnsAreListed(ByMacro.Player.self))
    }

    @Test("An optional key that is not the rowid")
    func optionalKeys() throws {
        func use<Tag>(_ make: (UUID?, String) -> Tag, change: @escaping (inout Tag, Int) -> Void) -> Use<Tag> {
            let tags = (1...6).map {
                make(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, $0)), "\($0)")
            }
            return Use(
                samples: Array(tags[..<3]), spares: Array(tags[3...]), column: "url", value: "2".databaseValue,
                change: change)
        }
        try expectSame(
            "CREATE TABLE tag (id BLOB PRIMARY KEY, url TEXT NOT NULL)",
            documented: use(Documented.Tag.init(id:url:)) { $0.url += "\($1)" },
            byMacro: use(ByMacro.Tag.init(id:url:)) { $0.url += "\($1)" }, .columnsAreListed(ByMacro.Tag.self))
    }

    @Test("A key that is generated at insertion, and validation")
    func keysAndValidation() throws {
        func use<Link>(_ make: (UUID?, String) -> Link, change: @escaping (inout Link, Int) -> Void) -> Use<Link> {
            let urls = ["a", "", "kept", "a/", "", "a/////"]
            let links = urls.map { make(nil, $0) }
            return Use(
                samples: Array(links[..<3]), spares: Array(links[3...]), column: "url", value: "a".databaseValue,
                change: change)
        }
        try expectSame(
            "CREATE TABLE link (id BLOB PRIMARY KEY, url TEXT NOT NULL)",
            documented: use(Documented.Link.init(id:url:)) { if $1 == 4 { $0.url += "\($1)" } },
            byMacro: use(ByMacro.Link.init(id:url:)) { if $1 == 4 { $0.url += "\($1)" } },
            .columnsAreListed(ByMacro.Link.self))
    }
}
