// What can be wrong with a database.

import Foundation
import Rowan

struct Checkup {
    let db: Database
    let path: String
    let isQuick: Bool

    func findings() throws -> [Finding] {
        let damage = try integrity()
        // Other questions may not have answers.
        if damage.contains(where: { $0.fix == nil }) { return damage }
        return try damage + foreignKeys() + values() + foreignKeysWithoutIndex() + redundantIndexes()
            + expressionIndexes()
            + invalidViews() + statistics() + writeAheadLog() + freePages()
    }

    private func names(_ sql: String) throws -> [String] { try String.fetchAll(db, sql: sql) }

    /// The tables that store rows.
    private func tables() throws -> [(name: String, isStrict: Bool)] {
        try Row.fetchAll(
            db,
            sql:
                "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
        ).map { ($0[0], $0[1]) }
    }

    // MARK: Damage

    private func integrity() throws -> [Finding] {
        let problems: [String]
        do { problems = try isQuick ? db.quickCheck(in: "main") : db.integrityCheck(in: "main") } catch let error
            as DatabaseError
            where error.resultCode == .SQLITE_CORRUPT
        {
            problems = [error.message ?? "\(error.resultCode)"]
        }
        return problems.map { problem in
            // The rows are right, and the index is not.
            let index = problem.firstMatch(of: /(?:missing from|wrong # of entries in) index (.+)$/)?.output.1
            return Finding(
                kind: .damage, message: problem,
                advice: "restore a backup, or save what can be read with: rowan dump \(path)",
                fix: index.map { "REINDEX \(String($0).quotedIdentifier)" })
        }
    }

    private func foreignKeys() throws -> [Finding] {
        var mismatches: [Finding] = []
        var counts: [String: (count: Int, example: String)] = [:]
        for table in try tables() {
            do {
                let violations = try db.foreignKeyViolations(in: table.name)
                while let violation = try violations.next() {
                    let key = "\(violation.originTable) → \(violation.destinationTable)"
                    if counts[key] == nil { counts[key] = (0, try violation.failureDescription(db)) }
                    counts[key]?.count += 1
                }
            } catch let error as DatabaseError where error.message?.hasPrefix("foreign key mismatch") ?? false {
                mismatches.append(
                    Finding(
                        kind: .warning,
                        message:
                            "a foreign key of \(table.name) refers to columns that are not a key: \(error.message ?? "")",
                        advice:
                            "give the other table that key, or drop the foreign key: rows of \(table.name) can't be written"
                    ))
            }
        }
        return mismatches
            + counts.sorted { $0.key < $1.key }.map { key, value in
                Finding(
                    kind: .warning,
                    message:
                        "\(value.count.counted("row violates", "rows violate")) the foreign key \(key): \(value.example)",
                    advice: "insert the missing rows, or delete those that refer to them")
            }
    }

    /// Values that their columns' types could not convert.
    private func values() throws -> [Finding] {
        var result: [Finding] = []
        for table in try tables() where !table.isStrict {
            for column in try db.columns(in: table.name, in: "main") {
                guard let unfit = Self.unfitTypes(column.type) else { continue }
                let name = column.name.quotedIdentifier
                let row = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT count(*), min(typeof(\(name))) FROM \(table.name.quotedIdentifier)
                        WHERE typeof(\(name)) IN (\(unfit))
                        """)
                guard let row, let count = row[0] as Int?, count > 0 else { continue }
                result.append(
                    Finding(
                        kind: .warning,
                        message:
                            "\(table.name).\(column.name) is declared \(column.type), but \(count.counted("value is", "values are")) of the type "
                            + "\(row[1] as String? ?? "")",
                        advice: "convert them, and make the table STRICT"))
            }
        }
        return result
    }

    /// Source: <https://sqlite.org/datatype3.html#determination_of_column_affinity>. Dates have the affinity of numbers but
    /// are stored as texts.
    private static func unfitTypes(_ type: String) -> String? {
        let type = type.uppercased()
        if type.contains("INT") { return "'text', 'blob', 'real'" }
        if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") { return "'blob'" }
        if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") { return "'text', 'blob'" }
        return nil
    }

    private func invalidViews() throws -> [Finding] {
        try db.views(in: "main").compactMap { view in
            do {
                _ = try db.makeStatement(sql: "SELECT * FROM main.\(view.name.quotedIdentifier)")
                return nil
            } catch let error as DatabaseError {
                return Finding(
                    kind: .warning, message: "the view \(view.name) can't be read: \(error.message ?? "")",
                    advice: "drop it, or create what it needs")
            }
        }
    }

    // MARK: Indexes

    private struct Index {
        let name: String
        /// The columns with their collations and orders; nil for expressions.
        let columns: [String?]
        let isUnique: Bool
        let isPartial: Bool
        /// Whether it belongs to a constraint.
        let isImplicit: Bool
    }

    private func indexes(of table: String) throws -> [Index] {
        try Row.fetchAll(
            db, sql: "SELECT name, \"unique\" AS isUnique, origin, partial FROM pragma_index_list(?) ORDER BY name",
            arguments: [table]
        ).map { row in
            let columns = try Row.fetchAll(
                db,
                sql:
                    "SELECT cid, name, coll, \"desc\" AS isDescending FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno",
                arguments: [row["name"] as String])
            return Index(
                name: row["name"],
                columns: columns.map { column in
                    (column["name"] as String?).map {
                        "\($0.lowercased()) \(column["coll"] as String) \(column["isDescending"] as Int)"
                    }
                }, isUnique: row["isUnique"], isPartial: row["partial"], isImplicit: row["origin"] != "c")
        }
    }

    /// Deleting a row of the other table, or updating its key, reads the whole table.
    private func foreignKeysWithoutIndex() throws -> [Finding] {
        var result: [Finding] = []
        var taken = Set(try db.schemaObjects(in: "main").map { $0.name.lowercased() })
        for table in try tables() {
            let key = try db.primaryKey(table.name, in: "main").columns.map { $0.lowercased() }
            var prefixes =
                try indexes(of: table.name).filter { !$0.isPartial }.map { index in
                    index.columns.map { $0.map { String($0.prefix { $0 != " " }) } ?? "" }
                } + [key]
            for (destination, columns) in try references(of: table.name) {
                let lowered = columns.map { $0.lowercased() }
                guard !prefixes.contains(where: { Set($0.prefix(lowered.count)) == Set(lowered) }) else { continue }
                prefixes.append(lowered)
                let name = SwiftNames.unique("\(table.name)_on_\(columns.joined(separator: "_"))", &taken)
                let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
                result.append(
                    Finding(
                        kind: .warning,
                        message:
                            "\(table.name) has no index on \(columns.joined(separator: ", ")), which refers to "
                            + "\(destination): deleting a row there reads the whole table",
                        advice: "",
                        fix: "CREATE INDEX \(name.quotedIdentifier) ON \(table.name.quotedIdentifier) (\(list))"))
            }
        }
        return result
    }

    /// The foreign keys of a table: the other tables, which may be missing, and the columns.
    private func references(of table: String) throws -> [(destination: String, columns: [String])] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT id, \"table\", \"from\" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq",
            arguments: [table])
        var result: [(destination: String, columns: [String])] = []
        for (index, row) in rows.enumerated() {
            if index > 0, rows[index - 1]["id"] as Int == row["id"] {
                result[result.count - 1].columns.append(row["from"])
            } else {
                result.append((row["table"], [row["from"]]))
            }
        }
        return result
    }

    /// An index whose columns are the first ones of another index.
    private func redundantIndexes() throws -> [Finding] {
        var result: [Finding] = []
        let named = try namedIndexes()
        for table in try tables() {
            let indexes = try indexes(of: table.name).filter { !$0.isPartial && !$0.columns.contains(nil) }
            for index in indexes where !index.isUnique && !index.isImplicit {
                let better = indexes.first { other in
                    other.name != index.name && other.columns.starts(with: index.columns)
                        // Of two equal indexes, the second one is redundant.
                        && (other.columns.count > index.columns.count || other.isUnique || other.name < index.name)
                }
                guard let better else { continue }
                result.append(
                    Finding(
                        kind: .warning,
                        message: "the index \(index.name) is redundant: \(better.name) begins with the same columns",
                        advice: "drop it when no view and no trigger names it with INDEXED BY",
                        fix: named.named(index.name) == nil ? "DROP INDEX \(index.name.quotedIdentifier)" : nil))
            }
        }
        return result
    }

    /// The indexes that views and triggers name, which can't run without them.
    private func namedIndexes() throws -> [String] {
        try db.schemaObjects(in: "main").filter { $0.kind == .view || $0.kind == .trigger }.flatMap { object in
            let tokens = SQLToken.tokens(object.sql ?? "")
            return tokens.indices.dropLast(2).compactMap { index in
                tokens[index].isWord("INDEXED") && tokens[index + 1].isWord("BY") ? tokens[index + 2].name : nil
            }
        }
    }

    /// A newer SQLite may have other results for the functions in an index.
    private func expressionIndexes() throws -> [Finding] {
        guard let writer = try lastWriter(), let own = try Self.number(names("SELECT sqlite_version()").first ?? ""),
            writer != own
        else { return [] }
        var found: [String] = []
        for table in try tables() {
            found += try indexes(of: table.name).filter { $0.columns.contains(nil) || $0.isPartial }.map(\.name)
        }
        guard !found.isEmpty else { return [] }
        return [
            Finding(
                kind: .remark,
                message:
                    "the database was written by SQLite \(Self.version(writer)), and this is \(Self.version(own)): functions in "
                    + "the indexes \(found.joined(separator: ", ")) may have other results",
                advice: "build them again with REINDEX if the versions are of different years")
        ]
    }

    /// The version of the SQLite that wrote the file last. Source: <https://sqlite.org/fileformat.html#the_database_header>
    private func lastWriter() throws -> Int? {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }  // It was only read.
        guard let header = try file.read(upToCount: 100), header.count == 100 else { return nil }
        return header[96..<100].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func number(_ version: String) -> Int? {
        let parts = version.split(separator: ".").compactMap { Int($0) }
        return parts.count == 3 ? parts[0] * 1_000_000 + parts[1] * 1000 + parts[2] : nil
    }

    private static func version(_ number: Int) -> String {
        "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
    }

    // MARK: Statistics and space

    private func statistics() throws -> [Finding] {
        guard try names("SELECT name FROM sqlite_schema WHERE name = 'sqlite_stat1'") != [] else { return [] }
        var stale: [String] = []
        // Any program can write these rows.
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT CAST(tbl AS TEXT), max(CAST(stat AS INTEGER)) FROM sqlite_stat1
                WHERE tbl IS NOT NULL AND stat IS NOT NULL GROUP BY 1
                """)
        for row in rows {
            let (table, then): (String, Int) = (row[0], row[1])
            guard try db.tableExists(table, in: "main") else { continue }
            let now = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedIdentifier)") ?? 0
            let (small, large) = (Double(min(now, then)), Double(max(now, then)))
            if max(large, 100) > 10 * max(small, 10) {
                stale.append("\(table) (\(then.counted("row", "rows")) then, \(now) now)")
            }
        }
        guard !stale.isEmpty else { return [] }
        return [
            Finding(
                kind: .warning,
                message: "the statistics for the query planner are outdated: \(stale.joined(separator: ", "))",
                advice: "", fix: "ANALYZE")
        ]
    }

    static let checkpoint = "PRAGMA main.wal_checkpoint(TRUNCATE)"

    private func writeAheadLog() throws -> [Finding] {
        guard try names("PRAGMA main.journal_mode") == ["wal"] else { return [] }
        var result: [Finding] = []
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")  // Usually, there is none.
        if let size = attributes?[.size] as? Int, size > 64 << 20 {
            let age = (attributes?[.modificationDate] as? Date).map { Int(-$0.timeIntervalSinceNow / 60) } ?? 0
            result.append(
                Finding(
                    kind: .warning,
                    message:
                        "the write-ahead log has \(size >> 20) MB, last written \(age) minutes ago: reads are slow, and a "
                        + "long read may prevent its checkpoint",
                    advice: "", fix: Self.checkpoint))
        }
        if Database.hasWALResetBug {
            result.append(
                Finding(
                    kind: .remark,
                    message:
                        "this SQLite has the WAL-reset bug, which can damage a database that several programs write while "
                        + "one of them makes a checkpoint",
                    advice: "update SQLite in programs that write this file"))
        }
        return result
    }

    private func freePages() throws -> [Finding] {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT freelist_count, page_count, page_size
                FROM pragma_freelist_count, pragma_page_count, pragma_page_size
                """)
        guard let row, case let (free, count, size) = (row[0] as Int, row[1] as Int, row[2] as Int),
            free * size > 1 << 20, free * 4 > count
        else { return [] }
        return [
            Finding(
                kind: .remark, message: "\(free * size >> 20) MB of \(count * size >> 20) MB are free pages",
                advice: "VACUUM returns them to the file system, and needs as much free space for a time")
        ]
    }
}
