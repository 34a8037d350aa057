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

/// The `.recover` of the sqlite3 shell as a measure. ROWAN_RECOVER is a program that recovers the file of its first argument
/// into the one of its second; ROWAN_CYCLES is the number of files.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["ROWAN_RECOVER"] != nil))
struct SalvageComparisonTests {
    @Test func neverFewerRowsThanTheShell() throws {
        let program = try #require(ProcessInfo.processInfo.environment["ROWAN_RECOVER"])
        let cycles = ProcessInfo.processInfo.environment["ROWAN_CYCLES"].flatMap { Int($0) } ?? 100
        var random = SeededGenerator(0xC0_DE)
        var (ours, theirs, better) = (0, 0, 0)
        for size in [512, 1_024, 4_096] {
            let file = try DamageableFile(pragmas: "PRAGMA page_size = \(size)") { db in
                try fillPlayers(db, count: 300)
                try db.execute(
                    sql: """
                        CREATE INDEX playerName ON player (name);
                        CREATE TABLE pair (a INTEGER, b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
                        INSERT INTO pair SELECT id, name || ' pair' FROM player;
                        CREATE TABLE other (a, b, c); INSERT INTO other SELECT note, id, name FROM player;
                        """)
            }
            let original = try file.bytes
            for cycle in 0..<(cycles / 3) {
                try file.write(random.damaged(original, pageSize: size))
                let (recovered, destination) = (file.folder.path("shell.sqlite"), file.folder.path("ours.sqlite"))
                let process = Process()
                process.executableURL = URL(fileURLWithPath: program)
                process.arguments = [file.path, recovered]
                try process.run()
                process.waitUntilExit()
                let expected = (try? DatabaseQueue(path: recovered).read { try $0.trueRowCount() }) ?? 0
                var found = 0
                do {
                    try Database.salvage(file.path, into: destination)
                    found = try DatabaseQueue(path: destination).read { try $0.trueRowCount() }
                } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {}
                #expect(found >= expected, "page size \(size), cycle \(cycle), seed \(random.seed)")
                (ours, theirs) = (ours + found, theirs + expected)
                if found > expected { better += 1 }
                for path in [recovered, destination] { try? FileManager.default.removeItem(atPath: path) }
            }
        }
        print("\(cycles / 3 * 3) damaged files: \(ours) rows, the shell \(theirs); more rows in \(better) files")
    }
}

extension SeededGenerator {
    /// Flipped, random or zeroed bytes, pages over other pages, or a missing end.
    fileprivate mutating func damaged(_ original: [UInt8], pageSize: Int) -> [UInt8] {
        var bytes = original
        for _ in 0..<[1, 1, 2, 5, 20].randomElement(using: &self)! where !bytes.isEmpty {
            let place = Int.random(
                in: 0..<(Bool.random(using: &self) ? bytes.count : min(bytes.count, 8_192)), using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 2: for index in place..<min(place + 64, bytes.count) { bytes[index] = 0 }
            case 3:
                for index in place..<min(place + 2 * pageSize, bytes.count) {
                    bytes[index] = UInt8.random(in: 0...255, using: &self)
                }
            case 4: if Int.random(in: 0..<5, using: &self) == 0 { bytes.removeSubrange(place...) }
            default:
                let count = bytes.count / pageSize
                guard count > 1 else { continue }
                let (from, to) = (Int.random(in: 0..<count, using: &self), Int.random(in: 0..<count, using: &self))
                bytes.replaceSubrange(
                    to * pageSize..<(to + 1) * pageSize, with: Array(bytes[from * pageSize..<(from + 1) * pageSize]))
            }
        }
        return bytes
    }
}

extension Database {
    /// The number of rows of `player` and `pair` that are as they were, in their tables or among the lost ones.
    fileprivate func trueRowCount() throws -> Int {
        let names = try String.fetchAll(self, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        let tables = names.filter { $0 == "player" || $0.hasPrefix("lost_and_found") }
        let players = try Set(tables.flatMap { try trueIDs(in: $0) })
        var pairs = Set<Int>()
        for table in names where table == "pair" || table.hasPrefix("lost_and_found") {
            let columns = table == "pair" ? ("a", "b") : ("c1", "c0")
            guard Set(try self.columns(in: table).map(\.name)).isSuperset(of: [columns.0, columns.1]) else { continue }
            for row in try Row.fetchAll(self, sql: "SELECT \(columns.0), \(columns.1) FROM \(table)") {
                guard let id = Int.fromDatabaseValue(row[0]), (1...300).contains(id) else { continue }
                if row[1] == "name \(id) pair".databaseValue { pairs.insert(id) }
            }
        }
        return players.count + pairs.count
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
        // The damage may be in a definition.
        let names = Set(try self.columns(in: table).map(\.name))
        guard names.isSuperset(of: ["id", columns.0, columns.1]) else { return [] }
        return try Row.fetchAll(self, sql: "SELECT id, \(columns.0), \(columns.1) FROM \(table)").compactMap { row in
            guard let id = Int.fromDatabaseValue(row[0]), (1...300).contains(id) else { return nil }
            let note = String(repeating: "n\(id) ", count: id % 97 == 0 ? 3_000 : id % 20)
            return row[1] == "name \(id)".databaseValue && row[2] == note.databaseValue ? id : nil
        }
    }
}
