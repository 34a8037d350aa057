// Statements made from literals.

import Rowan
import Testing

struct LiteralStatementTests {
    @Test func literalsWithOpenParameters() throws {
        try Roster.run { db, _ throws in
            let made = try db.makeStatement(literal: "SELECT name FROM player WHERE id = ?")
            #expect(try String.fetchOne(made, arguments: [3]) == "Craig")
            let cached = try db.cachedStatement(literal: "SELECT name FROM player WHERE id = :id")
            #expect(try String.fetchOne(cached, arguments: ["id": 4]) == "david")
            let mixed = try db.makeStatement(literal: "SELECT \(1) + ?")
            expectError(.SQLITE_MISUSE) { try Int.fetchOne(mixed) }
            #expect(try Int.fetchOne(mixed, arguments: [2, 3]) == 5)
            let all = try db.allStatements(literal: "SELECT ?; SELECT ? + 1")
            var sums: [Int] = []
            while let statement = try all.next() { sums.append(try Int.fetchOne(statement, arguments: [4])!) }
            #expect(sums == [4, 5])
            // Excess arguments are rejected.
            expectError(.SQLITE_MISUSE) { try db.makeStatement(literal: SQL(sql: "SELECT ?", arguments: [1, 2])) }
            // An argument without a parameter leaves the others unset.
            let open = try db.makeStatement(literal: SQL(sql: "SELECT :a", arguments: ["b": 2]))
            expectError(.SQLITE_MISUSE) { try Int.fetchOne(open) }
            #expect(try Int.fetchOne(open, arguments: ["a": 3]) == 3)
        }
    }
}
