// The callbacks in the documented order, and the effect of one that throws or omits its duty.

import Rowan
import Synchronization
import Testing

/// The calls recorded in a test.
private final class Calls: Sendable {
    private let calls = Mutex<[String]>([])
    func add(_ call: String) { calls.withLock { $0.append(call) } }
    func take() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

private struct Player: MutablePersistableRecord, FetchableRecord {
    var id: Int64?
    var name: String
    let calls: Calls
    /// The callback that throws.
    var failing: String?
    /// The callback that does not call its closure.
    var lazy: String?

    init(id: Int64? = nil, name: String = "Arthur", calls: Calls, failing: String? = nil, lazy: String? = nil) {
        self.id = id
        self.name = name
        self.calls = calls
        self.failing = failing
        self.lazy = lazy
    }

    init(row: Row) {
        self.init(id: row["id"], name: row["name"], calls: Calls())
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }

    private func call(_ name: String) throws {
        calls.add(name)
        if failing == name { throw CallbackFailure(name) }
    }

    private func around(_ name: String, _ body: () throws -> String) throws {
        calls.add("\(name) {")
        if lazy == name { return }
        let result = try body()
        calls.add("} \(name): \(result)")
        if failing == name { throw CallbackFailure(name) }
    }

    mutating func willInsert(_ db: Database) throws {
        try call("willInsert")
        name += "!"
    }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        try around("aroundInsert") { "\(try insert().rowID)" }
    }
    mutating func didInsert(_ inserted: InsertionSuccess) {
        calls.add("didInsert \(inserted.rowID) \(inserted.rowIDColumn ?? "nil")")
        id = inserted.rowID
    }
    func willUpdate(_ db: Database, columns: Set<String>) throws { try call("willUpdate \(columns.sorted())") }
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        try around("aroundUpdate") {
            let container = try update().persistenceContainer
            return "\(columns.sorted()) \(container["name"] as String? ?? "nil")"
        }
    }
    func didUpdate(_ updated: PersistenceSuccess) {
        calls.add("didUpdate \(updated.persistenceContainer["name"] as String? ?? "nil")")
    }
    func willSave(_ db: Database) throws { try call("willSave") }
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        try around("aroundSave") { "\(try save().persistenceContainer["id"] as Int64? ?? -1)" }
    }
    func didSave(_ saved: PersistenceSuccess) {
        calls.add("didSave \(saved.persistenceContainer["id"] as Int64? ?? -1)")
    }
    func willDelete(_ db: Database) throws { try call("willDelete") }
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        try around("aroundDelete") { "\(try delete())" }
    }
    func didDelete(deleted: Bool) { calls.add("didDelete \(deleted)") }
}

private let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)"

private let insertCalls = [
    "willSave", "aroundSave {", "willInsert", "aroundInsert {", "} aroundInsert: 1", "didInsert 1 id",
    "} aroundSave: 1", "didSave 1",
]
private func updateCalls(_ columns: [String]) -> [String] {
    [
        "willSave", "aroundSave {", "willUpdate \(columns)", "aroundUpdate {", "} aroundUpdate: \(columns) Arthur!",
        "didUpdate Arthur!", "} aroundSave: 1", "didSave 1",
    ]
}

struct CallbackTests {
    @Test func insertionsCallInOrder() throws {
        let insertions: [(inout Player, Database) throws -> Void] = [
            { try $0.insert($1) },
            { $0 = try $0.inserted($1) },
            { try $0.save($1) },
            { $0 = try $0.saved($1) },
            { try $0.upsert($1) },
            { _ = try $0.upsertAndFetch($1) },
            { _ = try $0.insertAndFetch($1, as: Player.self) },
            { _ = try $0.saveAndFetch($1, as: Player.self) },
            { _ = try $0.insertAndFetch($1, selection: [Column("id")]) { try Int.fetchOne($0) } },
        ]
        for insertion in insertions {
            try inLoggedDatabase(schema) { db, _ throws in
                var player = Player(calls: Calls())
                try insertion(&player, db)
                #expect(player.calls.take() == insertCalls)
                #expect(player.id == 1)
                #expect(player.name == "Arthur!")
                #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "Arthur!")
            }
        }
    }

    @Test func anUpsertThatUpdatesIsAnInsertion() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'x')")
            var player = Player(id: 1, calls: Calls())
            try player.upsert(db)
            #expect(player.calls.take() == insertCalls)
        }
    }

    @Test func updatesCallInOrder() throws {
        let updates: [(columns: [String], (inout Player, Database) throws -> Void)] = [
            (["id", "name"], { try $0.update($1) }),
            (["name"], { try $0.update($1, columns: ["name"]) }),
            (["id", "name"], { try $0.save($1) }),
            (["id", "name"], { _ = try $0.updateAndFetch($1) }),
            (["id", "name"], { _ = try $0.saveAndFetch($1) }),
        ]
        for (columns, update) in updates {
            try inLoggedDatabase(schema) { db, _ throws in
                try db.execute(sql: "INSERT INTO player VALUES (1, 'x')")
                var player = Player(id: 1, name: "Arthur!", calls: Calls())
                for _ in 0..<2 {
                    try update(&player, db)
                    #expect(player.calls.take() == updateCalls(columns))
                }
            }
        }
    }

    @Test func updateChangesCallsWhenThereAreChanges() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'x')")
            var player = Player(id: 1, name: "x", calls: Calls())
            try player.updateChanges(db) { _ in }
            #expect(player.calls.take() == [])
            try player.updateChanges(db) { $0.name = "Arthur!" }
            #expect(player.calls.take() == updateCalls(["name"]))
        }
    }

    @Test func aSaveThatFindsNoRowCallsBoth() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var player = Player(id: 1, calls: Calls())
            try player.save(db)
            #expect(
                player.calls.take() == [
                    "willSave", "aroundSave {", "willUpdate [\"id\", \"name\"]", "aroundUpdate {", "willInsert",
                    "aroundInsert {",
                    "} aroundInsert: 1", "didInsert 1 id", "} aroundSave: 1", "didSave 1",
                ])
        }
    }

    @Test func deletionsCallInOrder() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'x')")
            let player = Player(id: 1, calls: Calls())
            try player.delete(db)
            #expect(player.calls.take() == ["willDelete", "aroundDelete {", "} aroundDelete: true", "didDelete true"])
            try player.delete(db)
            #expect(player.calls.take().last == "didDelete false")
        }
    }

    @Test func typeMethodsAndBatchesCallNothing() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let player = Player(id: 1, calls: Calls())
            try db.execute(sql: "INSERT INTO player VALUES (1, 'x')")
            _ = try Player.updateAll(db, Column("name").set(to: "y"))
            _ = try Player.deleteOne(db, key: 1)
            _ = try player.exists(db)
            #expect(player.calls.take() == [])
        }
    }

    @Test func whatThrowsBeforeKeepsTheDatabaseAsItIs() throws {
        for failing in ["willSave", "willInsert"] {
            try inLoggedDatabase(schema) { db, _ throws in
                var player = Player(calls: Calls(), failing: failing)
                #expect(throws: CallbackFailure(failing)) { try player.insert(db) }
                #expect(player.calls.take().last == failing)
                #expect(try Player.fetchCount(db) == 0)
            }
        }
        for failing in ["willSave", "willUpdate [\"id\", \"name\"]"] {
            try inLoggedDatabase(schema) { db, _ throws in
                try db.execute(sql: "INSERT INTO player VALUES (1, 'x')")
                let player = Player(id: 1, calls: Calls(), failing: failing)
                #expect(throws: CallbackFailure(failing)) { try player.update(db) }
                #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "x")
            }
        }
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'x')")
            let player = Player(id: 1, calls: Calls(), failing: "willDelete")
            #expect(throws: CallbackFailure("willDelete")) { try player.delete(db) }
            #expect(try Player.fetchCount(db) == 1)
        }
    }

    @Test func whatThrowsAroundComesOut() throws {
        for failing in ["aroundSave", "aroundInsert"] {
            try inLoggedDatabase(schema) { db, _ throws in
                var player = Player(calls: Calls(), failing: failing)
                #expect(throws: CallbackFailure(failing)) { try player.insert(db) }
                #expect(player.calls.take().last?.hasPrefix("} \(failing)") == true)
            }
        }
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'x')")
            let update = Player(id: 1, calls: Calls(), failing: "aroundUpdate")
            #expect(throws: CallbackFailure("aroundUpdate")) { try update.update(db) }
            #expect(!update.calls.take().contains { $0.hasPrefix("did") })
            let delete = Player(id: 1, calls: Calls(), failing: "aroundDelete")
            #expect(throws: CallbackFailure("aroundDelete")) { try delete.delete(db) }
            #expect(!delete.calls.take().contains { $0.hasPrefix("did") })
        }
    }

    @Test func sqliteErrorsComeThroughTheCallbacks() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT CHECK (name = 'x'))") {
            db, _ throws in
            var player = Player(calls: Calls())
            #expect(databaseError { try player.insert(db) }?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
            #expect(player.calls.take() == ["willSave", "aroundSave {", "willInsert", "aroundInsert {"])
            #expect(player.id == nil)
        }
    }

    @Test func aCallbackThatDoesNotCallItsClosureIsAMisuse() throws {
        let operations: [(String, (inout Player, Database) throws -> Void)] = [
            ("aroundInsert", { try $0.insert($1) }), ("aroundSave", { try $0.insert($1) }),
            ("aroundUpdate", { try $0.update($1) }), ("aroundSave", { try $0.update($1) }),
            ("aroundUpdate", { try $0.save($1) }), ("aroundDelete", { _ = try $0.delete($1) }),
            ("aroundInsert", { try $0.upsert($1) }),
        ]
        for (lazy, operation) in operations {
            try inLoggedDatabase(schema) { db, _ throws in
                var player = Player(id: 1, calls: Calls(), lazy: lazy)
                let error = databaseError { try operation(&player, db) }
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(
                    error?.message
                        == "\(lazy) of Player did not call its closure, or ignored its error: call it once, and rethrow its error"
                )
                #expect(!player.calls.take().contains { $0.hasPrefix("did") })
            }
        }
    }

    @Test func immutableRecordsHaveImmutableCallbacks() throws {
        struct Link: Codable, PersistableRecord {
            var url: String
            func willSave(_ db: Database) throws {
                if !url.contains("://") { throw CallbackFailure("url must be absolute") }
            }
        }
        try inLoggedDatabase("CREATE TABLE link (url TEXT PRIMARY KEY)") { db, _ throws in
            let link = Link(url: "/relative")
            let operations: [(Link) throws -> Void] = [
                { try $0.insert(db) }, { try $0.update(db) }, { try $0.save(db) }, { try $0.upsert(db) },
            ]
            for operation in operations {
                #expect(throws: CallbackFailure("url must be absolute")) { try operation(link) }
            }
            try Link(url: "https://example.org").insert(db)
        }
    }

    @Test func classesLearnTheirRowID() throws {
        final class Place: PersistableRecord {
            var id: Int64?
            var title: String
            init(title: String) { self.title = title }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["title"] = title
            }
            func willInsert(_ db: Database) throws { title += "!" }
            func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try inLoggedDatabase("CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT)") { db, _ throws in
            let place = Place(title: "Paris")
            try place.insert(db)
            #expect(place.id == 1)
            #expect(try String.fetchOne(db, sql: "SELECT title FROM place") == "Paris!")
            place.title = "Rome"
            try place.save(db)
            let other = Place(title: "Oslo")
            try other.save(db)
            #expect(other.id == 2)
            try other.upsert(db)
            #expect(other.id == 2)
        }
    }
}
