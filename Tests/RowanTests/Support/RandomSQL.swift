// Random statements over a database of several tenants.

import Foundation

/// A generator of SQL over the tables of `AdversaryTests` and `RegionPropertyTests`. Some of it is refused in a scope.
struct RandomSQL {
    private var random: SeededGenerator
    private var depth = 0
    /// The columns that the current terms may name.
    private var columns: [String] = []
    private var commonTables: [String] = []

    init(_ random: SeededGenerator) { self.random = random }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }
    private mutating func number() -> Int { chance(5) ? 77 : Int.random(in: -2...12, using: &random) }

    /// One statement.
    mutating func statement() -> String {
        (depth, columns, commonTables) = (0, [], [])
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<62: return with() + select() + suffix()
        case 62..<74: return with() + update()
        case 74..<84: return with() + delete()
        case 84..<95: return with() + insert()
        default: return other()
        }
    }

    /// One query.
    mutating func query() -> String {
        (depth, columns, commonTables) = (0, [], [])
        return with() + select()
    }

    private mutating func other() -> String {
        pick([
            "EXPLAIN \(select())", "EXPLAIN QUERY PLAN \(select())", "PRAGMA table_info(invoice)", "PRAGMA table_list",
            "PRAGMA index_info(note_body)", "PRAGMA foreign_key_check", "PRAGMA foreign_key_check(note)",
            "PRAGMA user_version",
            "PRAGMA schema_version", "PRAGMA page_count", "PRAGMA freelist_count", "PRAGMA data_version",
            "PRAGMA quick_check",
            "PRAGMA database_list", "PRAGMA writable_schema = 1", "PRAGMA foreign_keys = 0",
            "PRAGMA recursive_triggers = 1",
            "PRAGMA full_column_names = 1", "PRAGMA reverse_unordered_selects = 1", "PRAGMA cache_size = 10",
            "CREATE TEMP TABLE a AS \(select())", "CREATE VIEW a AS \(select())",
            "CREATE TEMP VIEW a AS SELECT * FROM secret",
            "CREATE INDEX a ON note(body)", "DROP TABLE secret", "DROP VIEW hidden", "ALTER TABLE note ADD COLUMN a",
            "ALTER TABLE note RENAME TO a", "ANALYZE", "REINDEX", "VACUUM", "VACUUM INTO ':memory:'",
            "ATTACH ':memory:' AS a",
            "DETACH main", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "RELEASE rowan", "ROLLBACK TO rowan",
            "CREATE TEMP TRIGGER a AFTER INSERT ON note BEGIN INSERT INTO secret VALUES (9, 'z'); END",
            "SELECT 1; \(select())", ";", "SELECT", "/*", "--",
        ])
    }

    // MARK: Queries

    private mutating func with() -> String {
        guard chance(25) else { return "" }
        let isRecursive = chance(20)
        var parts: [String] = []
        for _ in 0...(chance(30) ? 1 : 0) {
            let name =
                chance(70)
                ? pick(["a", "b", "q"]) : pick(["a", "invoice", "secret", "customer", "hidden", "member", "\"note\""])
            if isRecursive, chance(50) {
                parts.append("\(name)(c) AS (SELECT 1 UNION ALL SELECT c + 1 FROM \(name) WHERE c < 5)")
            } else {
                parts.append(
                    "\(name)\(pick([" ", "(c) ", "(c, d) "]))AS \(pick(["", "", "MATERIALIZED ", "NOT MATERIALIZED "]))(\(select()))"
                )
            }
            commonTables.append(name)
        }
        return "WITH \(isRecursive ? "RECURSIVE " : "")\(parts.joined(separator: ", ")) "
    }

    private mutating func table() -> String {
        if !commonTables.isEmpty, chance(35) { return pick(commonTables) }
        if chance(80) { return pick(["invoice", "customer", "note", "pair"]) }
        return pick([
            "invoice", "invoice", "invoice", "customer", "customer", "note", "note", "pair", "\"invoice\"", "[note]",
            "`customer`",
            "'invoice'", "Invoice", "secret", "member", "hidden", "hiddenUnion", "hiddenJoin", "main.invoice",
            "temp.note", "main . note",
            "sqlite_master", "sqlite_temp_schema", "pragma_table_info('note')", "pragma_table_list", "dbstat",
            "json_each('[1, 2, 3]')",
            "json_tree('{\"a\": [1]}')", "sqlite_sequence", "sqlite_stat1", "document", "document_data",
        ])
    }

    private static let known: [String: [String]] = [
        "invoice": ["id", "tenantID", "customerID", "total", "note", "rowid"],
        "customer": ["id", "tenantID", "name", "phone", "rowid"],
        "note": ["id", "tenantID", "customerID", "body", "rowid"], "pair": ["tenantID", "name", "value"],
        "secret": ["id", "word", "rowid"], "member": ["customerID", "user"], "hidden": ["one"], "hiddenunion": ["one"],
        "hiddenjoin": ["id", "name"], "a": ["c", "id"], "b": ["c", "id"], "q": ["c", "id"],
        "json_each": ["key", "value", "id"],
    ]

    private mutating func from(_ aliases: inout [String]) -> String {
        let source: String
        if depth < 3, chance(15) {
            depth += 1
            source = "(\(select()))"
            depth -= 1
        } else {
            source = table()
        }
        let alias = pick(["x", "y", "z", "i", "invoice", "secret", "note"])
        let name = source.lowercased().filter { $0.isLetter || $0 == "_" }
        let isNamed = source.hasPrefix("(") || chance(50)
        let qualifier = isNamed ? alias : name
        aliases.append(qualifier)
        let own =
            Self.known.first { name.hasPrefix($0.key) || name.hasPrefix("main" + $0.key) }?.value ?? [
                "c", "id", "name",
            ]
        columns += own.flatMap { [$0, "\(qualifier).\($0)"] }
        return source + (isNamed ? pick([" AS ", " "]) + alias : "")
    }

    private mutating func select() -> String {
        depth += 1
        defer { depth -= 1 }
        if depth > 1, chance(6) { return "VALUES (\(term()), \(term()))" }
        let outer = columns
        defer { columns = outer }
        if depth < 3 || chance(30) {} else { columns = [] }
        var aliases: [String] = []
        var source = from(&aliases)
        while chance(25), aliases.count < 3 {
            let join = pick([", ", " JOIN ", " LEFT JOIN ", " CROSS JOIN ", " FULL JOIN ", " NATURAL JOIN "])
            source += join + from(&aliases)
            if join.contains("L") || join == " JOIN ", !join.contains("NATURAL"), !join.contains("CROSS") {
                source +=
                    chance(20)
                    ? " USING (\(pick(["id", "tenantID", "name", "customerID", "c", "word"])))" : " ON \(condition())"
            }
        }
        let isAggregate = chance(25)
        var terms: [String] = []
        var groups: [String] = []
        if isAggregate {
            if chance(40) {
                groups = [term()]
                terms = groups
            }
            for _ in 0...Int.random(in: 0...1, using: &random) { terms.append(aggregate()) }
        } else if chance(25) {
            terms = [chance(60) ? "*" : "\(pick(aliases)).*"]
        } else {
            for _ in 0...Int.random(in: 0...2, using: &random) { terms.append(chance(12) ? window() : term()) }
        }
        var sql = "SELECT \(chance(10) ? "DISTINCT " : "")\(terms.joined(separator: ", ")) FROM \(source)"
        if chance(65) { sql += " WHERE \(condition())" }
        if !groups.isEmpty { sql += " GROUP BY \(groups[0])" + (chance(30) ? " HAVING \(aggregate()) > 1" : "") }
        if depth < 3, chance(8) {
            sql += pick([" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT "]) + select()
        }
        return sql
    }

    private mutating func suffix() -> String {
        chance(10) ? pick([";", " -- main.secret", " /* ) */", "; SELECT 1"]) : ""
    }

    private mutating func aggregate() -> String {
        pick([
            "count(*)", "count(\(term()))", "sum(\(term()))", "total(\(term()))", "min(\(term()))", "max(\(term()))",
            "avg(\(term()))", "count(DISTINCT \(term()))",
        ])
    }

    private mutating func window() -> String {
        pick(["count(*)", "sum(\(term()))", "max(\(term()))", "rank()"])
            + " OVER (\(chance(50) ? "PARTITION BY \(term()) " : "")ORDER BY \(term()))"
    }

    // MARK: Terms

    private mutating func column() -> String { columns.isEmpty ? String(number()) : pick(columns) }

    private mutating func term() -> String {
        depth += 1
        defer { depth -= 1 }
        guard depth < 6 else { return chance(50) ? column() : String(number()) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: return column()
        case 45..<55: return String(number())
        case 55..<60:
            return pick(["'note 2'", "'note 101'", "'x'", "'y'", "NULL", "'{'", "9223372036854775807", "x'00'"])
        case 60..<66: return "(\(term()) \(pick(["+", "-", "*", "/", "%", "||", "&"])) \(term()))"
        case 66..<72: return "(SELECT \(term()) FROM \(table()) WHERE \(condition()) ORDER BY 1 LIMIT 1)"
        case 72..<76: return "(SELECT \(aggregate()) FROM \(table()))"
        case 76..<82: return "CASE WHEN \(condition()) THEN \(failing()) ELSE \(term()) END"
        case 82..<88: return failing()
        case 88..<94:
            return pick(["coalesce", "max", "nullif", "ifnull"]) + "(\(term()), \(term()))"
        case 94..<99: return pick(["length", "upper", "typeof", "quote", "hex", "json"]) + "(\(term()))"
        default:
            return pick([
                "changes()", "total_changes()", "last_insert_rowid()", "rowan_scope(0)", "sqlite_offset(id)",
                "sqlite_version()",
                "load_extension('a')", "fts3_tokenizer('a')", "typeof(random())", "CURRENT_TIMESTAMP IS NULL",
            ])
        }
    }

    /// A term that fails for some rows.
    private mutating func failing() -> String {
        pick([
            "abs(-9223372036854775807 - \(column()))", "json(\(column()))", "\(column()) -> '$['",
            "zeroblob(\(column()) * 1000000000)",
            "1 LIKE \(column())", "json_extract(\(column()), '$.a')", "round(\(column()))", "fails(\(column()))",
            "length(trim(\(column())))", "sign(\(column()))",
        ])
    }

    private mutating func condition() -> String {
        depth += 1
        defer { depth -= 1 }
        guard depth < 6 else { return "\(column()) = \(number())" }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: return "\(column()) \(pick(["=", "<", ">", "<>", "IS", "IS NOT", "<=", "LIKE"])) \(term())"
        case 45..<52: return "\(column()) IN (\(number()), \(number()), \(term()))"
        case 52..<59: return "\(column()) IN (SELECT \(pick(["id", "customerID", "tenantID", "c"])) FROM \(table()))"
        case 59..<66:
            return
                "EXISTS (SELECT \(pick(["1", "*", "NULL", "id"])) FROM \(table())\(chance(60) ? " WHERE \(condition())" : ""))"
        case 66..<70: return "\(term()) IN \(table())"
        case 70..<80: return "(\(condition()) \(pick(["AND", "OR"])) \(condition()))"
        case 80..<84: return "NOT \(condition())"
        case 84..<88: return "\(column()) BETWEEN \(number()) AND \(number())"
        case 88..<92: return "\(column()) IS NOT NULL"
        case 92..<95: return "(\(column()), \(column())) = (\(term()), \(number()))"
        default: return "1"
        }
    }

    // MARK: Changes

    private mutating func target() -> (name: String, columns: [String]) {
        let name =
            chance(70)
            ? pick(["note", "note", "pair", "pair", "customer"])
            : pick([
                "note", "note", "note", "note", "pair", "pair", "Note", "\"pair\"", "main.note", "invoice", "secret",
                "hidden", "customer", "sqlite_master", "note AS n", "document",
            ])
        let own = Self.known[name.lowercased().filter(\.isLetter)] ?? Self.known["note"]!
        return (name, own.filter { $0 != "rowid" })
    }

    private mutating func conflict() -> String {
        chance(20) ? "OR \(pick(["IGNORE", "REPLACE", "FAIL", "ABORT"])) " : ""
    }

    private mutating func returning() -> String {
        chance(25)
            ? " RETURNING \(pick(["*", "id", "tenantID", term(), "(SELECT count(*) FROM \(table()))", "rowid"]))" : ""
    }

    private mutating func update() -> String {
        let (name, own) = target()
        columns = own + (chance(20) ? own.map { "note.\($0)" } : [])
        let values = (0...(chance(25) ? 1 : 0)).map { _ in "\(pick(own)) = \(term())" }
        var sql = "UPDATE \(conflict())\(name) SET \(values.joined(separator: ", "))"
        if chance(12) {
            var aliases: [String] = []
            // Names that could be taken for those of the target.
            sql +=
                chance(70)
                ? " FROM \(from(&aliases))"
                : " FROM (SELECT 1 AS rowid, 2 AS oid, \(term()) AS c)\(pick(["", " AS note"]))"
        }
        if chance(80) { sql += " WHERE \(hostile(condition()))" }
        return sql + returning()
    }

    private mutating func delete() -> String {
        let (name, own) = target()
        columns = own
        return "DELETE FROM \(name)" + (chance(80) ? " WHERE \(hostile(condition()))" : "") + returning()
    }

    /// A condition that tries to end early.
    private mutating func hostile(_ condition: String) -> String {
        chance(92)
            ? condition
            : pick([
                "\(condition)) OR (1", "\(condition) OR 1 --", "0) OR 1 /*", "\(condition) OR (1",
                "(\(condition)) OR tenantID = 2",
            ])
    }

    private mutating func insert() -> String {
        let (name, own) = target()
        let verb = chance(5) ? "REPLACE" : "INSERT \(conflict())"
        var sql = "\(verb) INTO \(name)"
        if chance(60) {
            columns = []
            let id = Int.random(in: 300...900, using: &random)
            let values = own.map { column in
                switch column {
                // A number that SQLite chooses depends on all rows.
                case "id": chance(80) ? String(id) : "coalesce(\(term()), 299)"
                case "tenantID": chance(70) ? "1" : term()
                case "customerID": chance(70) ? pick(["NULL", "2", "4", "1", "99"]) : term()
                default: term()
                }
            }
            sql += " VALUES (\(values.joined(separator: ", ")))"
        } else {
            columns = own
            let source = table()
            sql +=
                " SELECT \(own.map { $0 == "id" ? "coalesce(id + 300, 299)" : (chance(80) ? $0 : term()) }.joined(separator: ", ")) FROM \(source)"
            if chance(70) { sql += " WHERE \(condition())" }
        }
        if chance(30) {
            columns = own + own.flatMap { ["excluded.\($0)", "note.\($0)"] }
            for _ in 0...(chance(20) ? 1 : 0) {
                sql += " ON CONFLICT\(pick(["", "(id)", "(tenantID, body)", "(tenantID, name)"]))"
                guard chance(75) else {
                    sql += " DO NOTHING"
                    continue
                }
                sql += " DO UPDATE SET \(pick(own)) = \(term())" + (chance(70) ? " WHERE \(hostile(condition()))" : "")
            }
        }
        return sql + returning()
    }
}
