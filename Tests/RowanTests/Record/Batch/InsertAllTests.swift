import RowanSQLite
import Testing

@testable import Rowan

private struct Country: Codable, Equatable, FetchableRecord, PersistableRecord {
    var code: String
    var name: String?
}

private let countrySchema = "CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT)"

private func countries(_ range: Range<Int>) -> [Country] {
    range.map { Country(code: "c\($0)", name: $0.isMultiple(of: 3) ? nil : "Country \($0)") }
}

private func insertion(_ rowCount: Int, _ verb: String = "INSERT INTO", end: String = "") -> String {
    let rows = repeatElement("(?,?)", count: rowCount).joined(separator: ",")
    return #"\#(verb) "country" ("code", "name") VALUES \#(rows)\#(end)"#
}

/// The statement for a table with an index: if a row fails, the statement keeps the rows before it, which the savepoint
/// undoes.
private func indexedInsertion(_ rowCount: Int) -> String {
    insertion(rowCount, rowCount == 1 ? "INSERT INTO" : "INSERT OR FAIL INTO")
}

private func stored(_ db: Database) throws -> [Country] {
    try Country.fetchAll(db, sql: "SELECT * FROM country ORDER BY rowid")
}

struct InsertAllTests {
    @Test func statementsHaveManyRows() throws {
        try inLoggedDatabase(countrySchema) { db, log throws in
            let all = countries(0..<200)
            try Country.insertAll(db, all)
            // The first record detects that the type has no callbacks; 199 is 3 times 64, plus 7.
            let sizes = [1, 64, 64, 64, 4, 2, 1]
            #expect(log.take() == sizes.map { indexedInsertion($0) })
            #expect(try stored(db) == all)
            try Country.insertAll(db, countries(200..<205))
            #expect(log.take().suffix(2) == [indexedInsertion(4), indexedInsertion(1)])
        }
    }

    @Test func argumentsAreInTheOrderOfTheRecords() throws {
        try inLoggedDatabase(countrySchema) { db, log throws in
            try Country.insertAll(db, [Country(code: "F", name: "France"), Country(code: "I", name: nil)])
            _ = log.takeExpanded()
            try Country.insertAll(db, [Country(code: "D", name: "D'oh"), Country(code: "S", name: nil)])
            #expect(
                log.takeExpanded() == [
                    #"INSERT OR FAIL INTO "country" ("code", "name") VALUES ('D','D''oh'),('S',NULL)"#
                ])
        }
    }

    @Test(arguments: [0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1_000]) func anyNumberOfRecords(count: Int) throws {
        try inLoggedDatabase(countrySchema) { db, _ throws in
            try Country.insertAll(db, countries(0..<count))
            #expect(try stored(db) == countries(0..<count))
            try db.execute(sql: "DELETE FROM country")
            try Country.insertAll(db, countries(0..<count), callbacks: .skipped)
            #expect(try stored(db) == countries(0..<count))
        }
    }

    @Test func anySequence() throws {
        try inLoggedDatabase(countrySchema) { db, _ throws in
            try Country.insertAll(db, (0..<100).lazy.map { Country(code: "\($0)", name: nil) })
            var next = 100
            try Country.insertAll(
                db,
                AnyIterator {
                    next += 1
                    return next < 200 ? Country(code: "\(next)", name: nil) : nil
                })
            try Country.insertAll(db, Set(["x"]).map { Country(code: $0, name: nil) })
            #expect(try Country.fetchCount(db) == 200)
        }
    }

    @Test func noRecordIsNoStatement() throws {
        try inLoggedDatabase(countrySchema) { db, log throws in
            try Country.insertAll(db, [])
            var none: [Country] = []
            try Country.insertAll(db, &none)
            #expect(log.take().isEmpty)
        }
    }

    /// The error names the record that violates a constraint, whether records are inserted together or one by one.
    @Test func aViolationNamesItsRecord() throws {
        struct Named: Codable, PersistableRecord {
            static let databaseTableName = "country"
            var code: String
            func willInsert(_ db: Database) throws {}
        }
        try inLoggedDatabase(countrySchema) { db, _ throws in
            for count in [1, 2, 63, 64, 65, 130, 200] {
                let message =
                    "UNIQUE constraint failed: country.code - inserting the record at index \(count)"
                let codes = (0..<count).map { "c\($0)" } + ["c0", "z"]
                let together = databaseError { try Country.insertAll(db, codes.map { Country(code: $0, name: nil) }) }
                #expect(together?.message == message)
                #expect(together?.sql == insertion(1))
                let alone = databaseError { try Named.insertAll(db, codes.map { Named(code: $0) }) }
                #expect(alone?.message == message)
                #expect(try Country.fetchCount(db) == 0)
            }
        }
    }

    @Test func anErrorLeavesNothingInserted() throws {
        let (queue, _) = try loggedQueue(countrySchema)
        try queue.write { db in
            try Country(code: "c150", name: "first").insert(db)
            let error = databaseError { try Country.insertAll(db, countries(0..<200)) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY)
            #expect(error?.message == "UNIQUE constraint failed: country.code - inserting the record at index 150")
            #expect(error?.sql == insertion(1))
            #expect(error?.arguments == ["c150", nil])
            #expect(try Country.fetchCount(db) == 1)
            // The transaction continues.
            try Country.insertAll(db, countries(200..<300))
        }
        #expect(try queue.read { try Country.fetchCount($0) } == 101)
        // Also outside a transaction.
        #expect(throws: DatabaseError.self) {
            try queue.writeWithoutTransaction { try Country.insertAll($0, countries(100..<200)) }
        }
        #expect(try queue.read { try Country.fetchCount($0) } == 101)
    }

    @Test func anErrorTellsItsArgumentsIfItMay() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        try inLoggedDatabase(countrySchema, configuration: configuration) { db, _ throws in
            let twins = [Country(code: "a", name: "1"), Country(code: "b", name: "2"), Country(code: "b", name: "3")]
            let error = databaseError { try Country.insertAll(db, twins, callbacks: .skipped) }
            #expect(error?.arguments == ["a", "1", "b", "2"] || error?.arguments == ["b", "3"])
        }
    }

    @Test func conflictResolutions() throws {
        try inLoggedDatabase(countrySchema) { db, log throws in
            try Country(code: "c1", name: "first").insert(db)
            _ = log.take()
            try Country.insertAll(db, countries(0..<3), onConflict: .ignore)
            // The first insertion has shown that the type implements no callback.
            #expect(log.take() == [2, 1].map { insertion($0, "INSERT OR IGNORE INTO") })
            #expect(try String.fetchAll(db, sql: "SELECT name FROM country WHERE code = 'c1'") == ["first"])
            try Country.insertAll(db, countries(0..<3), onConflict: .replace)
            #expect(try Set(stored(db).map(\.name)) == [nil, "Country 1", "Country 2"])
            #expect(throws: DatabaseError.self) { try Country.insertAll(db, countries(2..<9), onConflict: .fail) }
            #expect(try Country.fetchCount(db) == 3, "FAIL keeps earlier rows of its statement, insertAll does not")
        }
    }

    /// SQLite does not count the rows that a statement keeps before a value of the wrong type, and its count differs
    /// from the number of rows before the failing one if a trigger ignores some.
    @Test(arguments: [
        ("CREATE TABLE pair (id INTEGER PRIMARY KEY, a INT) STRICT", "cannot store TEXT value in INT column pair.a"),
        (
            """
            CREATE TABLE pair (id INTEGER PRIMARY KEY, a INT CHECK (a <> 'x'));
            CREATE TRIGGER t BEFORE INSERT ON pair WHEN NEW.id = 2 BEGIN SELECT RAISE(IGNORE); END
            """, "CHECK constraint failed: a <> 'x'"
        ),
    ])
    func theErrorOfAFailingRow(_ schema: String, _ message: String) throws {
        struct Pair: PersistableRecord {
            static let databaseTableName = "pair"
            let (id, a): (Int, DatabaseValue)
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["a"] = a
            }
        }
        try withDatabase { db in
            try db.execute(sql: schema)
            let pairs = (1...128).map { Pair(id: $0, a: $0 == 40 ? "x".databaseValue : $0.databaseValue) }
            let error = #expect(throws: DatabaseError.self) {
                try Pair.insertAll(db, pairs, onConflict: .fail)
            }
            #expect(error?.message?.hasPrefix(message) == true, "\(error!)")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM pair") == 0)
        }
    }

    @Test func rollbackRollsBackTheTransaction() throws {
        let (queue, _) = try loggedQueue(countrySchema)
        let error = databaseError {
            try queue.write { db in
                try Country(code: "c1", name: nil).insert(db)
                try Country.insertAll(db, countries(0..<3), onConflict: .rollback)
            }
        }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
        #expect(try queue.read { try Country.fetchCount($0) } == 0)
    }

    @Test func statementsAreCached() throws {
        try inLoggedDatabase(countrySchema) { db, _ throws in
            try Country.insertAll(db, countries(0..<129))
            try Country.insertAll(db, countries(129..<200))
            try db.connection.withStatement(indexedInsertion(64)) { #expect($0.runCount == 3) }
        }
    }

    @Test func aStatementThatACursorHoldsGivesWay() throws {
        try inLoggedDatabase("CREATE TABLE country (code TEXT, name TEXT)") { db, _ throws in
            try Country.insertAll(db, countries(0..<3), callbacks: .skipped)
            let statement = try db.cachedStatement(sql: insertion(2))
            try statement.setArguments(["x", 1, "y", 2])
            let cursor = try Row.fetchCursor(statement)
            try Country.insertAll(db, countries(3..<6), callbacks: .skipped)
            withExtendedLifetime(cursor) {}
            #expect(try Country.fetchCount(db) >= 6)
        }
    }

    @Test func itIsRefusedInAReadAndOnCancellation() throws {
        let (queue, _) = try loggedQueue(countrySchema)
        #expect(
            databaseError { try queue.read { try Country.insertAll($0, countries(0..<9)) } }?.resultCode
                == .SQLITE_READONLY)
    }
}

// MARK: - Tables

private struct Point: Codable, Equatable, FetchableRecord, PersistableRecord {
    var x: Int
    var y: Int?
}

private struct Sparse: Equatable, PersistableRecord {
    static let databaseTableName = "sparse"
    var values: [String: Int]
    func encode(to container: inout PersistenceContainer) {
        for (column, value) in values.sorted(by: { $0.key < $1.key }) { container[column] = value }
    }
}

struct InsertAllTableTests {
    @Test func tablesWithoutRowID() throws {
        try inLoggedDatabase("CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID") { db, _ throws in
            try Country.insertAll(db, countries(0..<100))
            #expect(try Set(Country.fetchAll(db).map(\.code)) == Set(countries(0..<100).map(\.code)))
        }
    }

    @Test func generatedColumnsAndDefaults() throws {
        let schema = "CREATE TABLE point (x INTEGER, y INTEGER, sum AS (x + y) STORED, z DEFAULT 7)"
        try inLoggedDatabase(schema) { db, _ throws in
            try Point.insertAll(db, (0..<10).map { Point(x: $0, y: 2 * $0) })
            #expect(try Int.fetchAll(db, sql: "SELECT sum + z FROM point") == (0..<10).map { 3 * $0 + 7 })
        }
    }

    @Test func viewsWithTriggers() throws {
        let schema = """
            CREATE TABLE real (x, y); CREATE VIEW point AS SELECT x, y FROM real;
            CREATE TRIGGER t INSTEAD OF INSERT ON point BEGIN INSERT INTO real VALUES (new.x + 1, new.y); END
            """
        try inLoggedDatabase(schema) { db, _ throws in
            try Point.insertAll(db, (0..<10).map { Point(x: $0, y: nil) })
            #expect(try Int.fetchAll(db, sql: "SELECT x FROM real") == Array(1...10))
        }
    }

    @Test func recordsThatSetDifferentColumnsKeepTheirOrder() throws {
        try inLoggedDatabase("CREATE TABLE sparse (a, b DEFAULT 'b', c DEFAULT 'c')") { db, log throws in
            let records = [["a": 1], ["a": 2], ["a": 3], ["a": 4, "c": 5], ["b": 6], [:], [:], ["a": 7], ["a": 8]]
            try Sparse.insertAll(db, records.map(Sparse.init(values:)))
            #expect(
                log.take() == [
                    #"INSERT INTO "sparse" ("a") VALUES (?)"#,
                    #"INSERT INTO "sparse" ("a") VALUES (?),(?)"#,
                    #"INSERT INTO "sparse" ("a", "c") VALUES (?,?)"#,
                    #"INSERT INTO "sparse" ("b") VALUES (?)"#,
                    #"INSERT INTO "sparse" DEFAULT VALUES"#, #"INSERT INTO "sparse" DEFAULT VALUES"#,
                    #"INSERT INTO "sparse" ("a") VALUES (?),(?)"#,
                ])
            let rows = try String.fetchAll(db, sql: "SELECT ifnull(a, '-') || b || c FROM sparse ORDER BY rowid")
            #expect(rows == ["1bc", "2bc", "3bc", "4b5", "-6c", "-bc", "-bc", "7bc", "8bc"])
        }
    }

    @Test(
        arguments: [
            (SQLITE_LIMIT_VARIABLE_NUMBER, 49, 24), (SQLITE_LIMIT_VARIABLE_NUMBER, 2, 1),
            (SQLITE_LIMIT_SQL_LENGTH, 200, 25), (SQLITE_LIMIT_SQL_LENGTH, 48, 1),
            (SQLITE_LIMIT_COMPOUND_SELECT, 2, 64),
        ] as [(CInt, CInt, Int)])
    func theLimitsOfSQLiteHold(limit: CInt, value: CInt, most: Int) throws {
        try inLoggedDatabase("CREATE TABLE point (x, y)") { db, log throws in
            sqlite3_limit(db.sqliteConnection, limit, value)
            try Point.insertAll(db, repeatElement(Point(x: 1, y: 2), count: 101))
            let counts = log.take().map { $0.utf8.count { $0 == UInt8(ascii: "?") } / 2 }
            let largest = [64, 32, 16, 8, 4, 2, 1].first { $0 <= most }
            #expect(counts.max() == largest)
            #expect(counts.reduce(0, +) == 101)
        }
    }

    @Test func largeValuesDoNotWaitForOthers() throws {
        try inLoggedDatabase(countrySchema) { db, log throws in
            let text = String(repeating: "x", count: 700_000)
            try Country.insertAll(db, (0..<5).map { Country(code: "\($0)", name: text) }, callbacks: .skipped)
            #expect(log.take() == [2, 2, 1].map { indexedInsertion($0) })
        }
    }

    @Test func theSchemaMayChangeBetweenTwoCalls() throws {
        try inLoggedDatabase(countrySchema) { db, _ throws in
            try Country.insertAll(db, countries(0..<70))
            try db.execute(
                sql: "DROP TABLE country; CREATE TABLE country (name TEXT, code INTEGER PRIMARY KEY DESC, x)")
            try Country.insertAll(db, (0..<70).map { Country(code: "\($0)", name: nil) })
            #expect(try Country.fetchCount(db) == 70)
        }
    }
}
