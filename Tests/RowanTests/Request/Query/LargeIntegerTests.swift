// Integers outside SQLite's range, as values in conditions.

import Rowan
import Testing

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: UInt64
    var score: UInt64
    enum Columns {
        static let id = TypedColumn<UInt64>("id")
        static let score = Column("score")
    }
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER);
    INSERT INTO player VALUES (1, 10), (2, 20)
    """

private let message = "an argument is an integer above 9223372036854775807"

@Suite struct LargeIntegerTests {
    private func expectRefusal<T>(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T) {
        do {
            _ = try body()
            Issue.record("no error", sourceLocation: sourceLocation)
        } catch {
            let error = error as? DatabaseError
            #expect(error?.resultCode == .SQLITE_MISMATCH, sourceLocation: sourceLocation)
            #expect(error?.message?.hasPrefix(message) == true, sourceLocation: sourceLocation)
        }
    }

    @Test func conditions() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            expectRefusal { try Player.filter { $0.score == UInt64.max }.fetchAll(db) }
            expectRefusal { try Player.filter { $0.id == UInt64.max }.fetchAll(db) }
            expectRefusal { try Player.filter { $0.score < UInt.max }.fetchCount(db) }
            expectRefusal { try Player.filter { [1, UInt64.max].contains($0.score) }.isEmpty(db) }
            expectRefusal { try Player.filter { (UInt64(1)...UInt64.max).contains($0.score) }.fetchAll(db) }
            expectRefusal { try Player.filter(literal: "score = \(UInt64.max)").fetchAll(db) }
            expectRefusal { try Player.select(UInt64.max.sqlExpression.forKey("n"), as: Row.self).fetchAll(db) }
            expectRefusal { try Player.order(Column("score") + UInt64.max).fetchAll(db) }
            expectRefusal { try Player.all().updateAll(db, Column("score").set(to: UInt64.max)) }
            expectRefusal { try Player.filter { $0.score == UInt64.max }.deleteAll(db) }
            #expect(try Player.fetchCount(db) == 2)
        }
    }

    @Test func keys() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            expectRefusal { try Player.filter(key: UInt64.max).fetchAll(db) }
            expectRefusal { try Player.filter(keys: [1, UInt64.max]).fetchAll(db) }
            expectRefusal { try Player.filter(key: ["id": UInt64.max]).fetchAll(db) }
        }
    }

    @Test func literals() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            expectRefusal { try db.execute(literal: "INSERT INTO player VALUES (\(UInt64.max), 1)") }
            let request: SQLRequest<Player> = "SELECT * FROM player WHERE id = \(UInt64.max)"
            expectRefusal { try request.fetchAll(db) }
        }
    }

    @Test func integersThatFit() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(try Player.filter { $0.score == UInt64(20) }.fetchAll(db).map(\.id) == [2])
            #expect(try Player.filter { $0.score < UInt64(Int64.max) }.fetchCount(db) == 2)
        }
    }
}
