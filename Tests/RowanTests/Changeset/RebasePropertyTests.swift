// Two copies of a database change at the same time, and exchange their changes: afterwards, they are the same.

import Foundation
import Rowan
import RowanChangesets
import Testing

@Suite struct RebasePropertyTests {
    private static let schema = """
        CREATE TABLE a(id INTEGER PRIMARY KEY, x, y);
        CREATE TABLE b(k TEXT, n INTEGER, v, PRIMARY KEY(k, n)) WITHOUT ROWID
        """

    private func content(_ db: Database) throws -> [String] {
        try ["a", "b"].flatMap { table in
            try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
                .map { "\(table) " + $0.databaseValues.map { "\($0)" }.joined(separator: "|") }.sorted()
        }
    }

    /// One random statement.
    ///
    /// - Parameter number: nil for any values; otherwise, an update changes all columns, to new values.
    private func statement(_ random: inout SeededGenerator, _ number: inout Int?) -> String {
        func value() -> String {
            guard let count = number else {
                return ["NULL", "1", "2.5", "'x'", "x'00'"].randomElement(using: &random)!
            }
            number = count + 1
            return String(count)
        }
        func key() -> Int { Int.random(in: 1...6, using: &random) }
        func name() -> String { ["'a'", "'b'"].randomElement(using: &random)! }
        func other(_ column: String) -> String { number == nil ? "" : ", \(column) = \(value())" }
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: "INSERT OR REPLACE INTO a VALUES (\(key()), \(value()), \(value()))"
        case 1: "UPDATE a SET x = \(value())\(other("y")) WHERE id = \(key())"
        case 2: "UPDATE a SET y = \(value())\(other("x")) WHERE id >= \(key())"
        case 3: "DELETE FROM a WHERE id = \(key())"
        case 4: "INSERT OR REPLACE INTO b VALUES (\(name()), \(key()), \(value()))"
        case 5: "UPDATE b SET v = \(value()) WHERE k = \(name())"
        case 6: "UPDATE OR IGNORE b SET n = n + 1 WHERE n = \(key())"
        default: "DELETE FROM b WHERE n = \(key())"
        }
    }

    /// The number of cycles. `make stress` runs more of them.
    private static let cycleCount = ProcessInfo.processInfo.environment["ROWAN_CYCLES"].flatMap { Int($0) } ?? 250

    @Test(arguments: [ChangeConflict.Resolution.replace, .omit])
    func copiesConverge(resolution: ChangeConflict.Resolution) throws {
        var number = resolution == .omit ? 10 : nil
        var random = SeededGenerator(45)
        var conflictCount = 0
        for cycle in 0..<Self.cycleCount {
            func statements(_ count: Int) -> [String] { (0..<count).map { _ in statement(&random, &number) } }
            let (here, there) = (try DatabaseQueue(), try DatabaseQueue())
            let setup = statements(12)
            let (hereStatements, thereStatements) = (statements(8), statements(8))
            for queue in [here, there] {
                try queue.write { db in
                    try db.execute(sql: Self.schema)
                    for sql in setup { try db.execute(sql: sql) }
                }
            }
            let ours = try here.write { db in
                try db.recordChanges { for sql in hereStatements { try db.execute(sql: sql) } }
            }
            let theirs = try there.write { db in
                try db.recordChanges { for sql in thereStatements { try db.execute(sql: sql) } }
            }
            let rebase = try here.write { db in
                try db.apply(theirs) { conflict in
                    conflictCount += 1
                    return [.data, .conflict].contains(conflict.kind) ? resolution : .omit
                }
            }
            try there.write { db in _ = try db.apply(ours.rebased(on: rebase)) }
            let (own, others) = (try here.read(content), try there.read(content))
            #expect(
                own == others,
                "seed \(random.seed), cycle \(cycle): \(setup); \(hereStatements); \(thereStatements)")
        }
        #expect(conflictCount > Self.cycleCount / 2)
    }

    /// SQLite omits a whole row, but rebases only the columns that both have changed.
    @Test(arguments: [("x = 3", "7|NULL"), ("x = 3, y = 3", "7|3")])
    func omittedConflicts(theirSQL: String, rowThere: String) throws {
        func make() throws -> DatabaseQueue {
            let queue = try DatabaseQueue()
            try queue.write { try $0.execute(sql: Self.schema + "; INSERT INTO a VALUES (1, 1, NULL)") }
            return queue
        }
        let (here, there) = (try make(), try make())
        func changes(_ queue: DatabaseQueue, _ assignments: String) throws -> Changeset {
            try queue.write { db in try db.recordChanges { try db.execute(sql: "UPDATE a SET \(assignments)") } }
        }
        let ours = try changes(here, "x = 7")
        let theirs = try changes(there, theirSQL)
        let rebase = try here.write { db in try db.apply(theirs) { _ in .omit } }
        try there.write { db in _ = try db.apply(ours.rebased(on: rebase)) }
        let row = "SELECT x || '|' || ifnull(y, 'NULL') FROM a"
        #expect(try here.read { try String.fetchOne($0, sql: row) } == "7|NULL")
        #expect(try there.read { try String.fetchOne($0, sql: row) } == rowThere)
    }
}
