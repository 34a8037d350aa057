// Random statements, and a model of their tables built only from the values of the events. After each statement, the
// model must equal the content of the tables.

import Rowan
import Testing

@Suite(.enabled(if: Database.supportsPreUpdateEvents))
struct PreUpdatePropertyTests {
    /// The rows of tables, by rowid or by primary key.
    private typealias Model = [String: [String: [String]]]

    /// Tables, and the positions of the primary key's columns unless the key is the rowid.
    private static let tables: [(name: String, key: [Int]?)] = [
        ("plain", nil), ("keyed", nil), ("typed", nil), ("wide", [0, 2]), ("parent", nil), ("child", nil), ("log", nil),
    ]

    private static let schema = """
        CREATE TABLE plain (a UNIQUE, b);
        CREATE TABLE keyed (a UNIQUE ON CONFLICT REPLACE, id INTEGER PRIMARY KEY, b);
        CREATE TABLE typed (a INTEGER, b REAL, c TEXT, d NUMERIC, e AS (a + 1), f AS (b * 2) STORED, g REAL);
        CREATE TABLE wide (a REAL, b UNIQUE, c, PRIMARY KEY (a, c)) WITHOUT ROWID;
        CREATE TABLE parent (id INTEGER PRIMARY KEY, b);
        CREATE TABLE child (id INTEGER PRIMARY KEY, a REFERENCES parent(id) ON DELETE CASCADE ON UPDATE CASCADE, b);
        CREATE TABLE log (a, b);
        CREATE TRIGGER t1 AFTER INSERT ON plain WHEN NEW.a % 2 = 0 BEGIN INSERT INTO log VALUES (NEW.a, NEW.b); END;
        CREATE TRIGGER t2 AFTER DELETE ON child BEGIN INSERT INTO log VALUES (OLD.a, OLD.b); END;
        CREATE TRIGGER t3 AFTER UPDATE OF b ON keyed BEGIN UPDATE OR REPLACE plain SET a = NEW.a WHERE a = OLD.a; END;
        """

    private static func statement(_ generator: inout SeededGenerator) -> String {
        func number() -> Int { Int.random(in: 0..<8, using: &generator) }
        func pick(_ choices: String...) -> String { choices.randomElement(using: &generator)! }
        func value() -> String {
            switch number() {
            case 0: "NULL"
            case 1: "'\(number())'"
            case 2: "\(number()).5"
            case 3: "\(number()).0"
            case 4: "x'0\(number())'"
            case 5: "'text \(number())' || char(0) || 'é'"
            default: "\(number())"
            }
        }
        let policy = pick("", "", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT")
        let table = pick("plain", "keyed", "wide", "parent", "child", "log")
        switch number() {
        case 0, 1:
            let columns = table == "parent" ? "(id, b)" : table == "wide" ? "(a, b, c)" : "(a, b)"
            let width = table == "wide" ? 3 : 2
            let isNumeric = table == "child" || table == "parent"
            func row() -> String {
                "(\((0..<width).map { _ in isNumeric ? "\(number())" : value() }.joined(separator: ", ")))"
            }
            let rows = (0...number() / 3).map { _ in row() }.joined(separator: ", ")
            return "INSERT \(policy) INTO \(table)\(columns) VALUES \(rows)"
        case 2:
            let values = (0..<5).map { _ in value() }.joined(separator: ", ")
            return "INSERT \(policy) INTO typed(a, b, c, d, g) VALUES (\(values))"
        case 3:
            let column = pick("a", "b", "c", "d", "g")
            return pick(
                "UPDATE typed SET \(column) = \(value()) WHERE rowid % 3 = \(number() % 3)",
                "DELETE FROM typed WHERE rowid % 4 = \(number() % 4)", "UPDATE typed SET rowid = -rowid WHERE a = 1")
        case 4:
            let column = table == "parent" ? "b" : pick("a", "b")
            return "UPDATE \(policy) \(table) SET \(column) = \(table == "child" ? "\(number())" : value()) "
                + "WHERE b \(pick("=", ">", "<", "IS NOT")) \(value())"
        case 5:
            return pick(
                "DELETE FROM \(table) WHERE b = \(value())", "DELETE FROM \(table)",
                "DELETE FROM parent WHERE id = \(number())",
                "UPDATE \(policy) parent SET id = \(number()) WHERE id = \(number())",
                "UPDATE \(policy) keyed SET id = \(number()) WHERE id > \(number())",
                "UPDATE \(policy) wide SET c = \(value()) WHERE b > \(number())")
        case 6:
            return pick(
                "INSERT INTO keyed(id, a) VALUES (\(number()), 1) ON CONFLICT(id) DO UPDATE SET b = coalesce(b, 0) + 1",
                "INSERT INTO wide VALUES (\(number()), \(number()), 1) ON CONFLICT DO UPDATE SET b = NULL",
                "INSERT INTO log SELECT a, b FROM plain", "REPLACE INTO plain SELECT a, b FROM keyed",
                "INSERT INTO log SELECT * FROM log LIMIT 3")
        default:
            return pick(
                "INSERT INTO child(a, b) SELECT id, b FROM parent",
                "UPDATE log SET rowid = rowid + 100 WHERE rowid < 50",
                "ALTER TABLE \(table) ADD COLUMN n\(generator.next() % 1_000_000) \(pick("", "REAL", "INT", "TEXT")) "
                    + "DEFAULT \(pick("1", "'2'", "3.5", "NULL", "x'04'"))",
                "DELETE FROM log", "DELETE FROM log WHERE a IS NULL")
        }
    }

    private static func content(_ db: Database) throws -> Model {
        var content: Model = [:]
        for (table, key) in tables {
            let stored = try db.columns(in: table).map(\.name).filter { !(table == "typed" && $0 == "e") }
            let columns = stored.map { "\"\($0)\"" }.joined(separator: ", ")
            var rows: [String: [String]] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT \(key == nil ? "rowid" : "NULL"), \(columns) FROM \(table)") {
                let values = Array(row.databaseValues).map(\.literal)
                rows[identity(key, values[0], Array(values.dropFirst()))] = Array(values.dropFirst())
            }
            content[table] = rows
        }
        return content
    }

    private static func identity(_ key: [Int]?, _ rowID: String, _ values: [String]) -> String {
        key.map { $0.map { values[$0] }.joined(separator: "|") } ?? rowID
    }

    private static func apply(_ event: DatabasePreUpdateEvent, to model: inout Model) throws {
        let table = try #require(tables.first { $0.name == event.tableName })
        func identity(_ rowID: Int64?, _ values: [String]) -> String {
            Self.identity(table.key, rowID.map(String.init) ?? "", values)
        }
        if let initial = event.initialDatabaseValues?.map(\.literal) {
            let previous = model[table.name]?.removeValue(forKey: identity(event.initialRowID, initial))
            #expect(previous == initial, "\(event)")
        }
        if let final = event.finalDatabaseValues?.map(\.literal) {
            let previous = model[table.name]?.updateValue(final, forKey: identity(event.finalRowID, final))
            #expect(previous == nil, "\(event)")
        }
    }

    @Test(arguments: [UInt64(41), 42, 43, 44, 45, 46])
    func models(_ ownSeed: UInt64) throws {
        var generator = SeededGenerator(ownSeed)
        let seed = generator.seed
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let log = PreUpdateLog()
            db.add(transactionObserver: log)
            var model = try Self.content(db)
            var count = 0
            for _ in 0..<600 {
                let sql = Self.statement(&generator)
                var before = model
                let isComplete: Bool
                do {
                    try db.execute(sql: sql)
                    isComplete = true
                } catch let error as DatabaseError {
                    // FAIL keeps the changes before the failure, except for foreign keys; otherwise they are undone.
                    isComplete =
                        sql.contains("OR FAIL") && error.extendedResultCode != .SQLITE_CONSTRAINT_FOREIGNKEY
                }
                let events = log.events
                _ = log.take()
                count += events.count
                let content = try Self.content(db)
                if sql.hasPrefix("ALTER") {
                    #expect(events.isEmpty, "\(sql) ROWAN_SEED=\(seed)")
                    model = content
                    continue
                }
                for event in events { try Self.apply(event, to: &before) }
                model = content
                for (table, _) in Self.tables where isComplete {
                    #expect(before[table] == content[table], "\(sql) ROWAN_SEED=\(seed)")
                }
            }
            #expect(count > 500, "ROWAN_SEED=\(seed)")
        }
    }
}
