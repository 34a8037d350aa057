// Random schemas with random rows, dumped and restored.

import Foundation
import Rowan
import Testing

struct DumpScriptPropertyTests {
    @Test(arguments: 0..<40)
    func restores(round: Int) throws {
        var random = SeededGenerator(UInt64(0xD0_00 + round))
        try withDatabase { db throws in
            var schema = RandomSchema(random: random)
            for _ in 0..<Int.random(in: 1...5, using: &random) { try schema.addTable(db) }
            try schema.addObjects(db)
            try checkRestored(db)
        }
    }
}

struct RandomSchema {
    var random: SeededGenerator
    private var names: Set<String> = []
    private var tables: [(name: String, columns: [String])] = []

    init(random: SeededGenerator) { self.random = random }

    private mutating func bool(_ chance: Double = 0.5) -> Bool { Double.random(in: 0..<1, using: &random) < chance }

    /// A name not yet used in SQLite's terms.
    private mutating func name() -> String {
        let words = [
            "select", "rowid", "oid", "_rowid_", "table", "a'b", "a\"b", "x;y", "--", "/*", "t", "T2", "é", "[x]", "%d",
        ]
        while true {
            var name = bool(0.5) ? words.randomElement(using: &random)! : random.string(maxLength: 8)
            name = name.replacing("\0", with: "0")
            let folded = name.lowercased()
            if name.isEmpty || folded.hasPrefix("sqlite_") || names.contains(folded) { continue }
            names.insert(folded)
            return name
        }
    }

    private mutating func columnNames() -> [String] {
        let taken = names
        names = []
        defer { names = taken }
        return (0..<Int.random(in: 1...5, using: &random)).map { _ in name() }
    }

    mutating func addTable(_ db: Database) throws {
        let table = name()
        if bool(0.15) { return try addFullTextTable(table, db) }
        let columns = columnNames()
        let types = ["", "INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC", "VARCHAR(20)", "DOUBLE"]
        var definitions = columns.map { column in
            var text = "\(column.quotedDatabaseIdentifier) \(types.randomElement(using: &random)!)"
            if bool(0.2) { text += " COLLATE NOCASE" }
            if bool(0.2) { text += " DEFAULT 'it''s; --'" }
            return text
        }
        var suffix = ""
        switch Int.random(in: 0..<6, using: &random) {
        case 0: definitions[0] = "\(columns[0].quotedDatabaseIdentifier) INTEGER PRIMARY KEY"
        case 1: definitions[0] = "\(columns[0].quotedDatabaseIdentifier) INTEGER PRIMARY KEY AUTOINCREMENT"
        case 2:
            definitions.append(
                "PRIMARY KEY (\(columns.reversed().map(\.quotedDatabaseIdentifier).joined(separator: ", ")))")
            suffix = " WITHOUT ROWID"
        case 3: definitions[0] = "\(columns[0].quotedDatabaseIdentifier) TEXT PRIMARY KEY"
        default: break
        }
        if bool(0.3), suffix.isEmpty {
            definitions.insert(
                "\"generated \"\"column\" AS (\(columns.last!.quotedDatabaseIdentifier) || 'x') \(bool() ? "STORED" : "VIRTUAL")",
                at: Int.random(in: 0...min(1, columns.count), using: &random))
        }
        try db.execute(
            sql: "CREATE TABLE \(table.quotedDatabaseIdentifier)(\(definitions.joined(separator: ", ")))\(suffix)")
        tables.append((table, columns))
        try fill(table, columns, db)
    }

    private mutating func addFullTextTable(_ table: String, _ db: Database) throws {
        // The modules don't quote the names of their tables correctly.
        let name = "fts\(tables.count) \(table.unicodeScalars.filter { $0.properties.isAlphabetic }.count)"
        guard !names.contains(name) else { return }
        names.insert(name)
        let module = bool() ? "fts5(a, b)" : "fts4(a, b)"
        try db.execute(sql: "CREATE VIRTUAL TABLE \(name.quotedDatabaseIdentifier) USING \(module)")
        for index in 0..<Int.random(in: 0...20, using: &random) {
            // Distinct and unordered.
            let rowID = 1_000 * Int.random(in: 0..<1_000, using: &random) + index
            try db.execute(
                sql: "INSERT INTO \(name.quotedDatabaseIdentifier)(rowid, a, b) VALUES (?, ?, ?)",
                arguments: [rowID, "hello \(random.string())", random.string()])
        }
    }

    private mutating func fill(_ table: String, _ columns: [String], _ db: Database) throws {
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ",")
        let marks = columns.map { _ in "?" }.joined(separator: ",")
        let sql = "INSERT OR IGNORE INTO \(table.quotedDatabaseIdentifier)(\(names)) VALUES (\(marks))"
        for index in 0..<Int.random(in: 0...40, using: &random) {
            var values = columns.map { _ in value() }
            // A value valid for a rowid column.
            if bool(0.7) { values[0] = (Int64(index) &* 7 &- 20).databaseValue }
            do { try db.execute(sql: sql, arguments: StatementArguments(values)) } catch let error as DatabaseError
                where [.SQLITE_MISMATCH, .SQLITE_FULL].contains(error.resultCode)
            {
                // A value that is no rowid, or no rowid left for AUTOINCREMENT.
            }
        }
        if bool(0.3) {
            let quoted = table.quotedDatabaseIdentifier
            try db.execute(sql: "DELETE FROM \(quoted) WHERE \(columns[0].quotedDatabaseIdentifier) % 3 = 0")
        }
    }

    private mutating func value() -> DatabaseValue {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .null
        case 1: random.integer(Int64.self).databaseValue
        case 2: random.double().databaseValue
        case 3: random.data().databaseValue
        case 4: String(repeating: random.string(), count: 200).databaseValue
        default: random.string().databaseValue
        }
    }

    mutating func addObjects(_ db: Database) throws {
        for (table, columns) in tables {
            let quoted = table.quotedDatabaseIdentifier
            let column = columns.randomElement(using: &random)!.quotedDatabaseIdentifier
            if bool() {
                try db.execute(sql: "CREATE INDEX \(name().quotedDatabaseIdentifier) ON \(quoted)(\(column) DESC)")
            }
            if bool(0.3) {
                try db.execute(
                    sql: "CREATE INDEX \(name().quotedDatabaseIdentifier) ON \(quoted)(\(column)) WHERE \(column) > 1")
            }
            if bool() {
                try db.execute(
                    sql: "CREATE VIEW \(name().quotedDatabaseIdentifier) AS SELECT \(column) FROM \(quoted) -- ;")
            }
            if bool() {
                try db.execute(
                    sql: """
                        CREATE TRIGGER \(name().quotedDatabaseIdentifier) AFTER INSERT ON \(quoted) BEGIN
                            DELETE FROM \(quoted); SELECT ';';
                        END
                        """)
            }
        }
        if bool() { try db.execute(sql: "PRAGMA user_version = \(Int32.random(in: 0 ... .max, using: &random))") }
        if bool(0.2) { try db.execute(sql: "ANALYZE") }
    }
}
