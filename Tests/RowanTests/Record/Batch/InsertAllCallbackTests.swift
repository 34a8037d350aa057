// insertAll calls the callbacks of records as a loop of insertions would.

import Rowan
import Synchronization
import Testing

/// The calls recorded in a test.
private final class Calls: Sendable {
    private let list = Synchronization.Mutex<[String]>([])
    func add(_ call: String) { list.withLock { $0.append(call) } }
    func take() -> [String] {
        list.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

/// A record that receives its id.
private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private func players(_ count: Int) -> [Player] { (0..<count).map { Player(id: nil, name: "p\($0)") } }

/// A record that reads the database before its insertion.
private struct Queued: MutablePersistableRecord {
    static let databaseTableName = "queued"
    var position: Int?
    func encode(to container: inout PersistenceContainer) { container["position"] = position }
    mutating func willInsert(_ db: Database) throws {
        position = try (Int.fetchOne(db, sql: "SELECT max(position) FROM queued") ?? 0) + 1
    }
}

private struct Told: PersistableRecord {
    static let databaseTableName = "told"
    var id: Int64?
    var calls: Calls
    func encode(to container: inout PersistenceContainer) { container["id"] = id }
    func didSave(_ saved: PersistenceSuccess) {
        calls.add("didSave \(saved.persistenceContainer["id"] as Int64? ?? -1)")
    }
}

private struct Around: PersistableRecord {
    static let databaseTableName = "told"
    var id: Int64
    var calls: Calls
    func encode(to container: inout PersistenceContainer) { container["id"] = id }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        calls.add("{")
        calls.add("\(try insert().rowID)")
        calls.add("}")
    }
}

private struct Plain: PersistableRecord {
    static let databaseTableName = "told"
    var id: Int64
    func encode(to container: inout PersistenceContainer) { container["id"] = id }
}

/// A record that forwards its callbacks to another one, which has none.
private struct Forwarding: PersistableRecord {
    static let databaseTableName = "told"
    var base: Plain
    var calls: Calls
    func encode(to container: inout PersistenceContainer) { base.encode(to: &container) }
    func willInsert(_ db: Database) throws {
        calls.add("will \(base.id)")
        try base.willInsert(db)
    }
    func didInsert(_ inserted: InsertionSuccess) {
        calls.add("did \(inserted.rowID)")
        base.didInsert(inserted)
    }
}

private let playerTable = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)"
private let toldTable = "CREATE TABLE told (id INTEGER PRIMARY KEY)"

private func manyRowStatements(_ log: SQLLog) -> [String] {
    log.take().filter { $0.hasPrefix("INSERT") && $0.contains("),(") }
}

struct InsertAllCallbackTests {
    @Test func recordsLearnTheirIDs() throws {
        try inLoggedDatabase(playerTable) { db, log throws in
            try db.execute(sql: "INSERT INTO player VALUES (10, 'x')")
            var all = players(200)
            all[100].id = 1_000
            try Player.insertAll(db, &all)
            #expect(all.map(\.id) == Array(11...110) + Array(1_000...1_099))
            #expect(try Player.fetchAll(db, sql: "SELECT * FROM player WHERE name <> 'x'") == all)
            #expect(manyRowStatements(log).count == 3 + 2)
            var few = Dictionary(uniqueKeysWithValues: players(3).map { ($0.name, $0) }).values
            try Player.insertAll(db, &few)
            #expect(Set(few.map(\.id)) == [1_100, 1_101, 1_102])
        }
    }

    @Test func upsertedRecordsLearnTheirIDs() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER)") {
            db, _ throws in
            try db.execute(sql: "INSERT INTO player VALUES (10, 'p1', 7), (20, 'x', 7)")
            var all = players(3)
            try #require(all.map(\.name).contains("p1"))
            try Player.upsertAll(db, &all, onConflict: ["name"])
            let stored = try Player.fetchAll(db, sql: "SELECT * FROM player WHERE name <> 'x' ORDER BY id")
            #expect(all.sorted { $0.id! < $1.id! } == stored)
            #expect(all.first { $0.name == "p1" }?.id == 10)
            #expect(Set(all.map(\.id)) == [10, 21, 22])

            // An updated row keeps its id, also with other assignments.
            var again = players(3)
            try Player.upsertAll(db, &again, onConflict: ["name"]) { _ in [Column("score").set(to: 8)] }
            #expect(again == all)
            try #expect(Int.fetchAll(db, sql: "SELECT score FROM player WHERE name <> 'x'") == [8, 8, 8])

            try db.execute(
                sql:
                    "CREATE TRIGGER t BEFORE INSERT ON player WHEN NEW.name = 'p2' BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
            var refused = players(3)
            #expect(throws: DatabaseError.self) { try Player.upsertAll(db, &refused, onConflict: ["name"]) }
            #expect(refused == players(3))
        }
    }

    @Test func anErrorLeavesTheRecordsAsTheyWere() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE)") { db, _ throws in
            var all = players(100) + players(1)
            #expect(throws: DatabaseError.self) { try Player.insertAll(db, &all) }
            #expect(all == players(100) + players(1))
            #expect(try Player.fetchCount(db) == 0)
        }
    }

    @Test func anAutoincrementedIDIsNeverUsedAgain() throws {
        let schema =
            "CREATE TABLE \"Pl'ayer\" (x); CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)"
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO player VALUES (50, 'x'); DELETE FROM player")
            var all = players(5)
            try Player.insertAll(db, &all)
            #expect(all.map(\.id) == Array(51...55))
            #expect(try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence") == 55)
        }
    }

    /// The program may have written anything into the sequence.
    @Test func aSequenceThatIsNoNumber() throws {
        var configuration = Configuration()
        configuration.strictConversions = true
        try withDatabase(configuration) { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
                    INSERT INTO player VALUES (1, 'x');
                    UPDATE sqlite_sequence SET seq = 'abc'
                    """)
            var all = players(5)
            try Player.insertAll(db, &all)
            let stored = try Int64.fetchAll(db, sql: "SELECT id FROM player WHERE id > 1 ORDER BY id")
            #expect(all.map(\.id) == stored)
        }
    }

    @Test(arguments: [
        "CREATE TRIGGER t AFTER INSERT ON player WHEN new.name NOT LIKE '%!' BEGIN "
            + "INSERT INTO player (name) VALUES (new.name || '!'); END",
        "CREATE TEMP TRIGGER t AFTER INSERT ON player WHEN new.id > 1 BEGIN "
            + "DELETE FROM player WHERE id = new.id; END",
        "INSERT INTO player VALUES (-5, 'x')", "INSERT INTO player VALUES (9223372036854775807, 'x')",
        "DROP TABLE player; CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT IGNORE)",
        "DROP TABLE player; CREATE TABLE player (id INTEGER PRIMARY KEY DESC, name TEXT)",
        "DROP TABLE player; CREATE TABLE player (id, name TEXT)",
        "DROP TABLE player; CREATE TEMP TABLE player (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TEMP TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO temp.player VALUES (7, 'x')",
    ]) func idsThatNobodyCanTellInAdvance(setUp: String) throws {
        var ids: [[Int64?]] = []
        for usesLoop in [true, false] {
            try inLoggedDatabase(playerTable) { db, _ throws in
                let statements = try db.allStatements(sql: setUp)
                while let statement = try statements.next() { try statement.execute() }
                var all = players(4) + players(1)
                if usesLoop {
                    for index in all.indices { try all[index].insert(db) }
                } else {
                    try Player.insertAll(db, &all)
                }
                for player in all where setUp.hasPrefix("INSERT") {
                    let name = try String.fetchOne(
                        db, sql: "SELECT name FROM player WHERE id = ?", arguments: [player.id])
                    #expect(name == player.name)
                }
                ids.append(all.map(\.id))
            }
        }
        // After the largest rowid, SQLite chooses at random.
        if !setUp.contains("9223372036854775807") { #expect(ids[0] == ids[1]) }
    }

    @Test func aCallbackThatLooksAtTheDatabaseSeesTheRecordsBefore() throws {
        try inLoggedDatabase("CREATE TABLE queued (position INTEGER)") { db, log throws in
            try Queued.insertAll(db, repeatElement(Queued(), count: 100))
            #expect(try Int.fetchAll(db, sql: "SELECT position FROM queued") == Array(1...100))
            #expect(manyRowStatements(log).isEmpty)
            var more = [Queued(), Queued()]
            try Queued.insertAll(db, &more)
            #expect(more.map(\.position) == [101, 102])
        }
    }

    @Test func skippedCallbacksAreNotCalled() throws {
        try inLoggedDatabase("CREATE TABLE queued (position INTEGER);" + playerTable) { db, log throws in
            try Queued.insertAll(db, repeatElement(Queued(), count: 4), callbacks: .skipped)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM queued WHERE position IS NULL") == 4)
            #expect(manyRowStatements(log).count == 1)
            // Skipping the callbacks does not depend on whether the type implements them.
            try Queued.insertAll(db, [Queued(), Queued()])
            #expect(try Int.fetchAll(db, sql: "SELECT position FROM queued WHERE position > 0") == [1, 2])
        }
    }

    @Test func recordsAreToldAfterTheInsertion() throws {
        try inLoggedDatabase(toldTable) { db, log throws in
            let calls = Calls()
            try Told.insertAll(db, [nil, nil, 7, nil].map { Told(id: $0, calls: calls) })
            #expect(calls.take() == ["didSave 1", "didSave 2", "didSave 7", "didSave 8"])
            #expect(manyRowStatements(log).count == 1)
            try Told.insertAll(db, [nil, 7].map { Told(id: $0, calls: calls) }, onConflict: .ignore)
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM told") == [1, 2, 7, 8, 9])
            #expect(manyRowStatements(log).isEmpty)
        }
    }

    @Test func aroundCallbacksSurroundTheirInsertion() throws {
        try inLoggedDatabase(toldTable) { db, _ throws in
            let calls = Calls()
            try Around.insertAll(db, [3, 5, 4].map { Around(id: $0, calls: calls) })
            #expect(calls.take() == ["{", "3", "}", "{", "5", "}", "{", "4", "}"])
        }
    }

    @Test func aRecordThatForwardsHasCallbacks() throws {
        try inLoggedDatabase(toldTable) { db, log throws in
            try Plain.insertAll(db, (1...4).map { Plain(id: $0) })
            #expect(manyRowStatements(log).count == 1)
            let calls = Calls()
            try Forwarding.insertAll(db, [5, 6, 7].map { Forwarding(base: Plain(id: $0), calls: calls) })
            #expect(calls.take() == ["will 5", "did 5", "will 6", "did 6", "will 7", "did 7"])
        }
    }

    @Test func theContainersOfCallbacksMayBeKept() throws {
        struct Keeping: PersistableRecord {
            static let databaseTableName = "told"
            var id: Int64
            var keep: @Sendable (InsertionSuccess) -> Void
            func encode(to container: inout PersistenceContainer) { container["id"] = id }
            func didInsert(_ inserted: InsertionSuccess) { keep(inserted) }
        }
        try inLoggedDatabase(toldTable) { db, _ throws in
            let kept = Log<InsertionSuccess>()
            try Keeping.insertAll(db, (1...300).map { Keeping(id: $0) { kept.append($0) } })
            #expect(kept.elements.map(\.rowID) == Array(1...300))
            #expect(kept.elements.map { $0.persistenceContainer["id"] as Int64? } == Array(1...300))
            #expect(kept.elements.allSatisfy { $0.rowIDColumn == "id" && $0.persistenceContainer.count == 1 })
        }
    }
}

// MARK: - Classes

private class Animal: PersistableRecord {
    class var databaseTableName: String { "animal" }
    var name: String
    init(_ name: String) { self.name = name }
    func encode(to container: inout PersistenceContainer) { container["name"] = name }
}

private final class Cat: Animal {
    override class var databaseTableName: String { "cat" }
}

private final class Place: Record {
    override class var databaseTableName: String { "place" }
    var id: Int64?
    override func encode(to container: inout PersistenceContainer) throws { container["id"] = id }
    override func didInsert(_ inserted: InsertionSuccess) {
        super.didInsert(inserted)
        id = inserted.rowID
    }
}

struct InsertAllClassTests {
    @Test func subclassesGoToTheirTable() throws {
        try inLoggedDatabase("CREATE TABLE animal (name); CREATE TABLE cat (name)") { db, _ throws in
            let animals: [Animal] = [
                Animal("a"), Animal("b"), Animal("c"), Cat("d"), Cat("e"), Animal("f"), Animal("g"),
            ]
            try Animal.insertAll(db, animals)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM animal") == ["a", "b", "c", "f", "g"])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM cat") == ["d", "e"])
        }
    }

    @Test func recordClassesKnowTheirState() throws {
        try inLoggedDatabase("CREATE TABLE place (id INTEGER PRIMARY KEY)") { db, _ throws in
            let places = [Place(), Place(), Place()]
            try Place.insertAll(db, places)
            #expect(places.map(\.id) == [1, 2, 3])
            #expect(places.allSatisfy { !$0.hasDatabaseChanges })
        }
    }
}
