// Files with random damage. What is in the tables afterwards was there before, and what no damage touched is still there.

import Foundation
import Rowan
import RowanSalvage
import Testing

struct SalvagePropertyTests {
    @Test(arguments: 0..<60)
    func randomDamage(round: Int) throws {
        var random = SeededGenerator(UInt64(0xDA_00 + round))
        let size = [512, 1_024, 4_096].randomElement(using: &random)!
        let file = try DamageableFile(pragmas: "PRAGMA page_size = \(size)") { db in
            var schema = RandomSchema(random: random)
            for _ in 0..<Int.random(in: 1...5, using: &random) { try schema.addTable(db) }
            try schema.addObjects(db)
            try fillPlayers(db, count: 300)
        }
        var damaged = Set<Int>()
        try file.damage { bytes in
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, start + Int.random(in: 1...3 * size, using: &random))
                for index in start..<end { bytes[index] = random.damage(bytes[index]) }
                damaged.formUnion(start / size...(end - 1) / size)
            }
        }
        let pages = try file.bytes.count / size
        let (report, players) = try file.salvage { db -> Set<Int> in
            let tables = try String.fetchAll(
                db,
                sql:
                    "SELECT name FROM sqlite_master WHERE name = 'player' OR name LIKE 'lost\\_and\\_found%' ESCAPE '\\'"
            )
            return try Set(tables.flatMap { try db.trueIDs(in: $0) })
        }
        // A player has 40 bytes at most, or is one of three long rows.
        let most = damaged.count * size / 10 + 3
        #expect(players.count >= 300 - most, "\(report.description)")
        #expect(report.pageCount == pages || damaged.contains(0))
    }
}

extension SeededGenerator {
    fileprivate mutating func damage(_ byte: UInt8) -> UInt8 {
        switch seed % 3 {
        case 0: 0
        case 1: UInt8.random(in: 0...255, using: &self)
        default: byte ^ (1 << UInt8.random(in: 0..<8, using: &self))
        }
    }
}

extension Database {
    /// The ids of the players in a table whose values are as they were.
    fileprivate func trueIDs(in table: String) throws -> [Int] {
        let columns = table == "player" ? ("name", "note") : ("c1", "c2")
        guard try self.columns(in: table).contains(where: { $0.name == columns.1 }) else { return [] }
        return try Row.fetchAll(self, sql: "SELECT id, \(columns.0), \(columns.1) FROM \(table)").compactMap { row in
            guard let id = Int.fromDatabaseValue(row[0]), (1...300).contains(id) else { return nil }
            let note = String(repeating: "n\(id) ", count: id % 97 == 0 ? 3_000 : id % 20)
            return row[1] == "name \(id)".databaseValue && row[2] == note.databaseValue ? id : nil
        }
    }
}
