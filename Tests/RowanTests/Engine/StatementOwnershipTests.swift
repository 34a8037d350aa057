// A statement has one user at a time: in the meantime, other executions of the same SQL use another statement.

import RowanSQLite
import Testing

@testable import Rowan

@Suite
struct StatementOwnershipTests {
    private struct Item: Codable, FetchableRecord, PersistableRecord {
        var id: Int64?
        var name: String

        enum Columns {
            static let id = Column(CodingKeys.id)
        }
    }

    /// A function's database: the connection retains the function, which doesn't retain the connection.
    private final class WeakDatabase: @unchecked Sendable {
        // Only read by the access that calls the function.
        weak var db: Database?
        init(_ db: Database) { self.db = db }
    }

    /// A database with a table `item`, and a function `again(x)` that runs the closure.
    private func withFunction(
        _ function: @escaping @Sendable (Database, Int) throws -> Int, _ body: (Database) throws -> Void
    ) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT)")
            for id in 1...600 { try db.execute(sql: "INSERT INTO item VALUES (?, ?)", arguments: [id, "item \(id)"]) }
            let kept = WeakDatabase(db)
            db.add(
                function: DatabaseFunction("again", argumentCount: 1) { values in
                    try function(kept.db!, Int.fromDatabaseValue(values[0]) ?? 0)
                })
            try body(db)
        }
    }

    /// A function that runs the SQL of its calling statement.
    @Test func aFetchInsideTheSameFetch() throws {
        let depth = Mutex(0)
        let sql = "SELECT again(id) FROM item ORDER BY id"
        try withFunction({ db, id in
            guard depth.withLock({ $0 }) == 0 else { return id }
            depth.withLock { $0 = 1 }
            defer { depth.withLock { $0 = 0 } }
            return id.isMultiple(of: 3) ? try Int.fetchAll(db, sql: sql).count + id - 600 : id
        }) { db in
            try #expect(Int.fetchAll(db, sql: sql) == Array(1...600))
        }
    }

    /// An execution occupies its statement, as a cursor does.
    @Test func anExecutionInsideTheSameExecution() throws {
        let depth = Mutex(0)
        let sql = "UPDATE item SET name = again(id) WHERE id <= 10"
        try withFunction({ db, id in
            let isOuter = depth.withLock { depth in
                depth += 1
                return depth == 1
            }
            defer { depth.withLock { $0 -= 1 } }
            if isOuter { try db.execute(sql: sql) }
            return id
        }) { db in
            try db.execute(sql: sql)
            try db.execute(sql: sql)
            try #expect(
                String.fetchAll(db, sql: "SELECT name FROM item WHERE id <= 10 ORDER BY id")
                    == (1...10).map { "\($0)" })
        }
    }

    /// A trigger of the insertion inserts another record of the same type.
    @Test func aPlanInsideTheSamePlan() throws {
        try withFunction({ db, id in
            if id < 1_000 { try Item(id: Int64(id) + 1_000, name: "copy of \(id)").insert(db) }
            return id
        }) { db in
            try db.execute(sql: "CREATE TRIGGER t AFTER INSERT ON item BEGIN SELECT again(new.id); END")
            for id in 601...605 { try Item(id: Int64(id), name: "original \(id)").insert(db) }
            try #expect(
                String.fetchAll(db, sql: "SELECT name FROM item WHERE id > 600 ORDER BY id")
                    == (601...605).map { "original \($0)" } + (601...605).map { "copy of \($0)" })
            try Item.insertAll(db, (606...700).map { Item(id: Int64($0), name: "original \($0)") })
            #expect(try Item.filter { $0.id > 600 }.fetchCount(db) == 200)
        }
    }

    @Test func aStatementCannotRunItself() throws {
        let statement = Mutex<UncheckedBox<Statement>?>(nil)
        try withFunction({ _, _ in
            try statement.withLock { $0 }?.value.execute()
            return 1
        }) { db in
            let made = try db.makeStatement(sql: "SELECT again(id) FROM item LIMIT 2")
            statement.withLock { $0 = UncheckedBox(made) }
            defer { statement.withLock { $0 = nil } }
            expectError(.SQLITE_MISUSE) { try made.execute() }
            expectError(.SQLITE_MISUSE) { _ = try Int.fetchAll(made) }
        }
    }

    @Test func argumentsOfARunningStatementStay() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT 2 UNION ALL SELECT 3")
            let cursor = try Int.fetchCursor(statement, arguments: [1])
            #expect(try cursor.next() == 1)
            expectError(.SQLITE_MISUSE) { try statement.setArguments([10]) }
            #expect(try cursor.next() == 2)
            #expect(try cursor.next() == 3)
            #expect(try cursor.next() == nil)
            #expect(try Int.fetchAll(statement, arguments: [10]) == [10, 2, 3])
        }
    }

    @Test func argumentsAreRefusedOutsideOfTheAccess() throws {
        let queue = try DatabaseQueue()
        let statement = try queue.write { try $0.makeStatement(sql: "SELECT ?") }
        expectError(.SQLITE_MISUSE) { try statement.setArguments([1]) }
        expectError(.SQLITE_MISUSE) { try statement.execute(arguments: [1]) }
    }

    // MARK: Prepared requests

    /// Two requests with the same text are two statements.
    @Test func preparedRequestsKeepTheirArguments() throws {
        try withFunction({ _, id in id }) { db in
            let one = try Item.filter { $0.id == 1 }.makePreparedRequest(db)
            let two = try Item.filter { $0.id == 2 }.makePreparedRequest(db)
            #expect(one.statement !== two.statement)
            #expect(try Item.fetchAll(one.statement).map(\.id) == [1])
            #expect(try Item.fetchAll(two.statement).map(\.id) == [2])
            // After they are released, the statement is reused.
            let request = SQLRequest<Item>(sql: "SELECT * FROM item WHERE id = ?", arguments: [3], cached: true)
            let other = SQLRequest<Item>(sql: "SELECT * FROM item WHERE id = ?", arguments: [4], cached: true)
            let three = try request.makePreparedRequest(db)
            let four = try other.makePreparedRequest(db)
            #expect(try Item.fetchAll(three.statement).map(\.id) == [3])
            #expect(try Item.fetchAll(four.statement).map(\.id) == [4])
        }
    }

    /// Rowan's own statements don't change the arguments of the program's statements.
    @Test func theProgramsStatementsAreItsOwn() throws {
        try withFunction({ _, id in id }) { db in
            let sql = "SELECT name FROM item WHERE id = ?"
            let statement = try db.cachedStatement(sql: sql)
            try statement.setArguments([1])
            #expect(try String.fetchOne(db, sql: sql, arguments: [2]) == "item 2")
            #expect(try String.fetchOne(statement) == "item 1")
        }
    }

    /// A text that was bound without a copy is no longer referenced by the statement.
    @Test func noAddressStaysInAStatement() throws {
        try withFunction({ _, id in id }) { db in
            try Item(id: 1_001, name: String(repeating: "long enough to lie on the heap ", count: 4)).insert(db)
            try db.connection.withStatement("INSERT INTO \"item\" (\"id\", \"name\") VALUES (?,?)") { statement in
                #expect(statement.runCount == 1)
                let text = try #require(sqlite3_expanded_sql(statement.sqliteStatement))
                defer { sqlite3_free(text) }
                #expect(String(cString: text) == "INSERT INTO \"item\" (\"id\", \"name\") VALUES (NULL,NULL)")
            }
        }
    }

    /// A cursor's arguments are set before its first step.
    @Test func argumentsOfACursorThatHasNotStarted() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            let cursor = try Int.fetchCursor(statement, arguments: [1])
            try? statement.execute(arguments: [2])
            let value = try cursor.next()
            #expect(value == 1)
        }
    }

    /// An abandoned statement does not hold the state of the database.
    @Test func anAdapterThatThrowsLeavesNothingRunning() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)")
            expectError(.SQLITE_MISUSE) {
                try Row.fetchAll(db, sql: "SELECT x FROM t", adapter: ColumnMapping(["a": "missing"]))
            }
            try db.execute(sql: "DROP TABLE t")
        }
    }
}
