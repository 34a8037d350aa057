// Advice on errors from the schema or the system.

import RowanSQLText
import RowanPlatform

extension LocalConnection {
    // MARK: Names

    /// The error with names similar to the unknown name.
    package func explained(_ error: DatabaseError) -> DatabaseError {
        error.with(hint: error.message.flatMap { unknownNameHint($0, error.sql ?? "") })
    }

    private func unknownNameHint(_ message: String, _ sql: String) -> String? {
        // Only SQLITE_ERROR has these messages. Our own query about an unknown name must not cause another one.
        guard !isRunningOwnQueries else { return nil }
        if message == "too many SQL variables" {
            return "a statement takes at most \(limit(.arguments)) here: pass several values as one argument, as JSON"
        }
        if let name = message.suffix(after: "no such table: ") {
            let tables = schemaRows(Self.tableNames, count: 1).map { $0[0] }
            if let table = name.unqualified.nearest(in: tables) { return "did you mean \"\(table)\"?" }
            guard !isInScope else { return nil }
            let file = mainFileName.map { $0.isEmpty ? "a database in memory" : $0 } ?? "the database"
            return tables.isEmpty
                ? "there are no tables in \(file): check its path, and that its migrations have run"
                : "check that its migration has run"
        }
        if let name = message.suffix(after: "no such collation sequence: ")
            ?? message.suffix(after: "no such function: "), Self.unlinkedNames.contains(name.foldedDatabaseName)
        {
            return "it needs all of Foundation: do not disable the trait FullFoundation of Rowan"
        }
        guard
            let name = message.suffix(after: "no such column: ")
                ?? message.suffix(after: " has no column named ")
        else { return nil }
        return unknownColumnHint(name.unqualified, sql)
    }

    private func unknownColumnHint(_ name: String, _ sql: String) -> String? {
        // A statement of several megabytes has its table names at the start.
        let scanner = SQLScanner(String(sql.prefix(utf8Count: 10_000)))
        let words = Set(scanner.compactMap { scanner.name($0)?.foldedDatabaseName })
        let columns = schemaRows(
            """
            SELECT t.name AS n1, c.name AS n2 FROM (\(Self.tables)) t, pragma_table_xinfo(t.name) c
            WHERE lower(t.name) IN (\(words.map(\.databaseValue.sqlLiteral).joined(separator: ", ")))
            """, count: 2)
        // The column exists, but not where the statement looks for it.
        if let column = columns.first(where: { $0[1].isSameDatabaseName(as: name) }) {
            return "\"\(column[1])\" is a column of \"\(column[0])\""
        }
        return name.nearest(in: columns.map { $0[1] }).map { "did you mean \"\($0)\"?" }
    }

    /// The folded names of the functions and collations that need all of Foundation, if the program does without it.
    private static let unlinkedNames = Set(
        BuiltInFunction.allCases.map(\.rawValue.foldedDatabaseName)
            + BuiltInCollation.allCases.map(\.rawValue.foldedDatabaseName)
    ).subtracting(
        DatabaseFunction.builtin.map(\.name.foldedDatabaseName)
            + DatabaseCollation.builtin.map(\.name.foldedDatabaseName))

    private static let tables = """
        SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
        UNION SELECT name FROM sqlite_temp_master WHERE type IN ('table', 'view')
        """
    private static let tableNames = "SELECT name AS n1 FROM (\(tables))"

    /// The rows of a query for names, in the columns `n1`, `n2` and so on. Not a common table, because looking for a
    /// table with its name would add an error to SQLite's log.
    private func schemaRows(_ query: String, count: Int) -> [[String]] {
        // The program receives the original error: this query may be cancelled or encounter a damaged schema.
        guard !isInScope else { return [] }
        let names = (1...count).map { "hex(n\($0))" }.joined(separator: " || ' ' || ")
        let text = try? unwatched {
            try firstValue("SELECT group_concat(\(names), char(10)) FROM (\(query))")
        }
        let rows = text.flatMap(\.self).flatMap(String.fromDatabaseValue)?.split(separator: "\n") ?? []
        return rows.map { row in
            row.split(separator: " ", omittingEmptySubsequences: false).map { String(hexadecimal: $0) }
        }
    }

    // MARK: Constraints

    /// The constraint that a row violates, if missing from SQLite's message: the foreign key, or the table of a check.
    func constraintHint(_ code: ResultCode, _ profile: StatementProfile) -> String? {
        switch code {
        case .SQLITE_CONSTRAINT_CHECK:
            let tables = profile.insertions.union(profile.updates.keys)
            return tables.count == 1 ? "the row does not meet a condition of table \"\(tables.first!.name)\"" : nil
        case .SQLITE_CONSTRAINT_FOREIGNKEY where profile.transactionOperation != nil:
            return "a row refers to a missing one: `checkForeignKeys()` before the commit names it"
        case .SQLITE_CONSTRAINT_FOREIGNKEY:
            let references = references()
            let (made, broken) = (references.filter(profile.makes), references.filter(profile.breaks))
            func list(_ references: [ForeignKeyHint]) -> String {
                references.map(\.description).joined(separator: ", ")
            }
            let advice = [
                made.isEmpty ? nil : "a row must exist for each of these references: \(list(made))",
                broken.isEmpty ? nil : "other rows still refer to the row by one of these references: \(list(broken))",
            ]
            return advice.contains { $0 != nil } ? advice.compactMap(\.self).joined(separator: "; ") : nil
        default: return nil
        }
    }

    /// The foreign keys of the main schema, read once: a program may cause and ignore thousands of violations.
    private func references() -> [ForeignKeyHint] {
        if let known = foreignKeyHints, known.epoch == schemaEpoch { return known.hints }
        let epoch = schemaEpoch
        // Without columns, a key refers to the primary key.
        let rows = schemaRows(
            """
            SELECT t.name AS n1, k.id AS n2, k."from" AS n3, k."table" AS n4, ifnull(k."to",
                (SELECT p.name FROM pragma_table_info(k."table") p WHERE p.pk = k.seq + 1)) AS n5
            FROM sqlite_master t, pragma_foreign_key_list(t.name) k WHERE t.type = 'table'
            ORDER BY t.name, k.id DESC, k.seq
            """, count: 5)
        var hints: [ForeignKeyHint] = []
        for row in rows {
            if let last = hints.last, last.table == row[0], last.id == row[1] {
                hints[hints.count - 1].columns.append((row[2], row[4]))
            } else {
                hints.append(ForeignKeyHint(table: row[0], id: row[1], parent: row[3], columns: [(row[2], row[4])]))
            }
        }
        foreignKeyHints = (hints, epoch)
        return hints
    }

    // MARK: The system

    /// The reason the system gives for not opening a file.
    static func openingHint(_ path: String, isReadonly: Bool, systemCode: CInt) -> String? {
        let isFile = !path.hasPrefix("file:") && path != ":memory:"
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard isFile else { return systemHint(systemCode) }
        guard let status = FileStatus(folder) else { return "the folder \(folder) doesn't exist: create it before" }
        guard status.isFolder else { return "\(folder) is a file, not a folder" }
        guard let status = FileStatus(path) else {
            return isReadonly
                ? "the file doesn't exist, and a connection that only reads doesn't create it" : systemHint(systemCode)
        }
        return status.isFolder ? "the path is that of a folder: add the name of a file" : systemHint(systemCode)
    }

    /// The system error behind an SQLite error.
    static func systemHint(_ code: CInt) -> String? {
        guard code != 0 else { return nil }
        let reason = "the system reports: \(String(cString: strerror(code))) (\(code))"
        return code == EMFILE || code == ENFILE ? reason + ". Raise the limit of open files, or close some" : reason
    }
}

/// A foreign key as described in hints.
struct ForeignKeyHint {
    let table, id, parent: String
    var columns: [(origin: String, destination: String)]

    var description: String {
        func name(_ table: String, _ columns: [String]) -> String {
            let columns = columns.map { "\"\($0)\"" }
            return columns.count == 1
                ? "\"\(table)\".\(columns[0])" : "\"\(table)\"(\(columns.joined(separator: ", ")))"
        }
        return "\(name(table, columns.map(\.origin))) to \(name(parent, columns.map(\.destination)))"
    }
}

extension StatementProfile {
    /// Whether the statement can make a row refer to another one.
    fileprivate func makes(_ reference: ForeignKeyHint) -> Bool {
        insertions.contains { $0.name.isSameDatabaseName(as: reference.table) }
            || updates(reference.table, reference.columns.map(\.origin))
    }

    /// Whether the statement can remove a row that others refer to.
    fileprivate func breaks(_ reference: ForeignKeyHint) -> Bool {
        deletions.contains { $0.name.isSameDatabaseName(as: reference.parent) }
            || updates(reference.parent, reference.columns.map(\.destination))
    }

    private func updates(_ table: String, _ columns: [String]) -> Bool {
        updates.contains { updated, names in
            updated.name.isSameDatabaseName(as: table)
                && names.contains { name in columns.contains { $0.isSameDatabaseName(as: name) } }
        }
    }
}

extension String {
    /// Decodes the text from the hexadecimal digits of its bytes.
    fileprivate init(hexadecimal digits: Substring) {
        let bytes = stride(from: 0, to: digits.utf8.count - 1, by: 2).compactMap { offset in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
        }
        self.init(decoding: bytes, as: UTF8.self)
    }

    fileprivate func suffix(after start: String) -> String? {
        firstRange(of: start).map { String(self[$0.upperBound...]) }
    }

    /// The name without the names of its table and schema.
    fileprivate var unqualified: String { lastIndex(of: ".").map { String(self[index(after: $0)...]) } ?? self }
}
