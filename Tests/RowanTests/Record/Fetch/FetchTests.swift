import Rowan
import Testing

private struct Player: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var email: String?

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
    }
}

private struct Citizenship: Codable, Hashable, FetchableRecord, PersistableRecord {
    var citizenId: Int
    var countryCode: String
}

private struct Country: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
    var isoCode: String
    var name: String
    var id: String { isoCode }
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE);
    INSERT INTO player VALUES (1, 'Arthur', 'a@x'), (2, 'Barbara', 'b@x'), (3, 'Craig', NULL);
    CREATE TABLE citizenship (citizenId INTEGER, countryCode TEXT, PRIMARY KEY (citizenId, countryCode));
    INSERT INTO citizenship VALUES (1, 'FR'), (1, 'US'), (2, 'FR');
    CREATE TABLE country (isoCode TEXT PRIMARY KEY, name TEXT);
    INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States');
    """
private let arthur = Player(id: 1, name: "Arthur", email: "a@x")
private let barbara = Player(id: 2, name: "Barbara", email: "b@x")
private let craig = Player(id: 3, name: "Craig", email: nil)

struct FetchTests {
    @Test func allRecords() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.fetchAll(db) == [arthur, barbara, craig])
            #expect(try Player.fetchSet(db) == [arthur, barbara, craig])
            #expect(try Player.fetchOne(db) == arthur)
            #expect(try Array(Player.fetchCursor(db)) == [arthur, barbara, craig])
            #expect(
                log.take() == [
                    #"SELECT * FROM "player""#, #"SELECT * FROM "player""#, #"SELECT * FROM "player" LIMIT 1"#,
                    #"SELECT * FROM "player""#,
                ])
        }
    }

    @Test func bySQL() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let sql = "SELECT * FROM player WHERE id >= ? ORDER BY id DESC"
            #expect(try Player.fetchAll(db, sql: sql, arguments: [2]) == [craig, barbara])
            #expect(try Player.fetchSet(db, sql: sql, arguments: [2]) == [craig, barbara])
            #expect(try Player.fetchOne(db, sql: sql, arguments: [2]) == craig)
            #expect(try Player.fetchOne(db, sql: sql, arguments: [9]) == nil)
            #expect(try Array(Player.fetchCursor(db, sql: sql, arguments: [2])) == [craig, barbara])
            let adapter = ColumnMapping(["id": "n", "name": "s"])
            let adapted = try Player.fetchOne(db, sql: "SELECT 'S' AS s, 4 AS n", adapter: adapter)
            #expect(adapted == Player(id: 4, name: "S"))
        }
    }

    @Test func byStatement() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id < ?")
            #expect(try Player.fetchAll(statement, arguments: [3]) == [arthur, barbara])
            #expect(try Player.fetchSet(statement, arguments: [3]) == [arthur, barbara])
            #expect(try Player.fetchOne(statement, arguments: [2]) == arthur)
            #expect(try Array(Player.fetchCursor(statement, arguments: [2])) == [arthur])
        }
    }

    @Test func byRequest() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Player.order(\.name.desc).limit(2)
            #expect(try request.fetchAll(db) == [craig, barbara])
            #expect(try request.fetchSet(db) == [craig, barbara])
            #expect(try request.fetchOne(db) == craig)
            #expect(try Array(request.fetchCursor(db)) == [craig, barbara])
            #expect(try Player.fetchAll(db, request) == [craig, barbara])
            #expect(try Player.fetchSet(db, request) == [craig, barbara])
            #expect(try Player.fetchOne(db, request) == craig)
            #expect(try Array(Player.fetchCursor(db, request)) == [craig, barbara])
        }
    }

    @Test func byPrimaryKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.fetchOne(db, key: 2) == barbara)
            #expect(log.takeExpanded() == [#"SELECT * FROM "player" WHERE "id" = 2"#])
            #expect(try Player.fetchOne(db, key: 9) == nil)
            #expect(try Player.fetchOne(db, key: nil as Int?) == nil)
            #expect(try Country.fetchOne(db, key: "FR")?.name == "France")
            #expect(try Country.fetchOne(db, id: "US")?.name == "United States")
            #expect(try Player.fetchOne(db, id: 1) == arthur)
            #expect(try Player.find(db, key: 3) == craig)
            #expect(try Player.find(db, id: 3) == craig)
        }
    }

    @Test func byKeysAndIds() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.fetchAll(db, keys: [2, 3]) == [barbara, craig])
            #expect(log.takeExpanded() == [#"SELECT * FROM "player" WHERE "id" IN (2, 3)"#])
            #expect(try Player.fetchAll(db, keys: [2]) == [barbara])
            #expect(try Player.fetchSet(db, keys: [1, 9]) == [arthur])
            #expect(try Array(Player.fetchCursor(db, keys: [1, 2])) == [arthur, barbara])
            #expect(try Player.fetchAll(db, ids: [3]) == [craig])
            #expect(try Player.fetchSet(db, ids: [2, 1]) == [arthur, barbara])
            #expect(try Array(Player.fetchCursor(db, ids: [1])) == [arthur])
            #expect(try Country.fetchAll(db, keys: ["FR", "DE"]).map(\.name) == ["France"])
            _ = log.take()
            #expect(try Player.fetchAll(db, keys: [] as [Int]) == [])
            #expect(try Player.fetchSet(db, ids: []) == [])
            #expect(log.take() == [], "no key needs no statement")
            #expect(try Array(Player.fetchCursor(db, ids: [])) == [])
        }
    }

    @Test func byUniqueKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Player.fetchOne(db, key: ["email": "b@x"]) == barbara)
            #expect(log.takeExpanded() == [#"SELECT * FROM "player" WHERE "email" = 'b@x'"#])
            #expect(try Player.fetchOne(db, key: ["EMAIL": "a@x"]) == arthur)
            #expect(try Player.fetchOne(db, key: ["email": nil]) == craig)
            #expect(try Player.fetchOne(db, key: ["id": 1]) == arthur)
            #expect(try Player.fetchOne(db, key: nil as [String: (any DatabaseValueConvertible)?]?) == nil)
            #expect(try Player.fetchAll(db, keys: [["email": "a@x"], ["id": 3]]) == [arthur, craig])
            #expect(try Player.fetchSet(db, keys: [["email": "a@x"], ["email": "b@x"]]) == [arthur, barbara])
            #expect(try Array(Player.fetchCursor(db, keys: [["id": 2]])) == [barbara])
            #expect(try Player.find(db, key: ["email": "b@x"]) == barbara)
        }
    }

    @Test func byCompositeKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let key: [String: (any DatabaseValueConvertible)?] = ["countryCode": "FR", "citizenId": 2]
            #expect(try Citizenship.fetchOne(db, key: key) == Citizenship(citizenId: 2, countryCode: "FR"))
            #expect(
                log.takeExpanded() == [
                    #"SELECT * FROM "citizenship" WHERE ("citizenId" = 2) AND ("countryCode" = 'FR')"#
                ])
            let keys = [["citizenId": 1, "countryCode": "US"], key]
            #expect(try Citizenship.fetchAll(db, keys: keys).count == 2)
            #expect(
                log.takeExpanded() == [
                    """
                    SELECT * FROM "citizenship" WHERE (("citizenId" = 1) AND ("countryCode" = 'US')) \
                    OR (("citizenId" = 2) AND ("countryCode" = 'FR'))
                    """
                ])
        }
    }

    @Test func aSingleValueIsNoCompositeKey() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(throws: (any Error).self) { try Citizenship.fetchOne(db, key: 1) }
            #expect(throws: (any Error).self) { try Citizenship.fetchAll(db, keys: [1, 2]) }
            #expect(throws: (any Error).self) { try Citizenship.find(db, key: 1) }
            #expect(throws: (any Error).self) { try Citizenship.deleteAll(db, keys: [1, 2]) }
        }
    }

    @Test func columnsThatAreNoKeyAreAnError() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            for key in [["name": "Arthur"], ["nowhere": 1], [:]] as [[String: (any DatabaseValueConvertible)?]] {
                let error = databaseError { try Player.fetchOne(db, key: key) }
                #expect(error?.resultCode == .SQLITE_MISUSE)
            }
            let error = databaseError { try Player.fetchOne(db, key: ["name": "Arthur"]) }
            let advice = "of its primary key (id) or of a unique index, or use filter(_:)"
            #expect(
                error?.message == "table player has no unique key on column(s) name: name all the columns \(advice)")
            let partial = databaseError { try Citizenship.fetchOne(db, key: ["citizenId": 1]) }
            #expect(partial?.message?.hasPrefix("table citizenship has no unique key on column(s) citizenId: ") == true)
        }
    }

    @Test func partialAndExpressionIndexesAreNoKeys() throws {
        let indexes = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, email TEXT);
            CREATE UNIQUE INDEX partial ON player (name) WHERE email IS NULL;
            CREATE UNIQUE INDEX expression ON player (email, LOWER(name));
            """
        try inLoggedDatabase(indexes) { db, _ throws in
            #expect(databaseError { try Player.fetchOne(db, key: ["name": "Arthur"]) }?.resultCode == .SQLITE_MISUSE)
            #expect(databaseError { try Player.fetchOne(db, key: ["email": "a"]) }?.resultCode == .SQLITE_MISUSE)
            try db.create(indexOn: "player", columns: ["email"], options: .unique)
            #expect(databaseError { try Player.fetchOne(db, key: ["email": "a"]) } == nil)
        }
    }

    @Test func findThrowsTheMissingKey() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(missingKey { try Player.find(db, key: 9) } == ["id": 9.databaseValue])
            #expect(missingKey { try Player.find(db, id: 9) } == ["id": 9.databaseValue])
            #expect(missingKey { try Country.find(db, key: "XX") } == ["isoCode": "XX".databaseValue])
            #expect(missingKey { try Player.find(db, key: ["email": "z"]) } == ["email": "z".databaseValue])
            let error = #expect(throws: RecordError.self) { try Player.find(db, id: 9) }
            #expect(error?.description == "Key not found in table player: [id]")
            #expect(error?.expandedDescription == "Key not found in table player: [id:9]")
        }
    }

    @Test func exists() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(try Player.exists(db, key: 1))
            #expect(try !Player.exists(db, key: 9))
            #expect(try Player.exists(db, id: 1))
            #expect(try !Country.exists(db, id: "XX"))
            #expect(try Player.exists(db, key: ["email": "a@x"]))
            #expect(try !Citizenship.exists(db, key: ["citizenId": 2, "countryCode": "US"]))
            #expect(try arthur.exists(db))
            #expect(try !Player(id: 9, name: "").exists(db))
            #expect(try Citizenship(citizenId: 1, countryCode: "US").exists(db))
        }
    }

    @Test func manyKeysGoBeyondTheVariableLimit() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let keys = Array(1...(db.maximumStatementArgumentCount + 10))
            #expect(try Player.fetchAll(db, keys: keys) == [arthur, barbara, craig])
            #expect(try Player.filter { keys.contains($0.id) }.fetchCount(db) == 3)
        }
    }
}
