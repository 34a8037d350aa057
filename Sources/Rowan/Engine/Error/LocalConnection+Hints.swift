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
            let tables = schemaNames(Self.tableNames)
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
        // A statement of several megabytes has its table names at the start.
        let text = String(sql.prefix(utf8Count: 10_000)).databaseValue.sqlLiteral
        let columns = schemaNames(
            """
            SELECT group_concat(c.name, char(10)) FROM (\(Self.tables)) t, pragma_table_xinfo(t.name) c
            WHERE instr(lower(\(text)), lower(t.name))
            """)
        return name.unqualified.nearest(in: columns).map { "did you mean \"\($0)\"?" }
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
    private static let tableNames = "SELECT group_concat(name, char(10)) FROM (\(tables))"

    /// The names that a query returns as one text.
    private func schemaNames(_ query: String) -> [String] {
        // The program receives the original error: this query may be cancelled or encounter a damaged schema.
        guard !isInScope else { return [] }
        let names = try? unwatched { try firstValue(query) }
        return names.flatMap(\.self).flatMap(String.fromDatabaseValue)?.components(separatedBy: "\n") ?? []
    }

    // MARK: Constraints

    /// The constraint that a row violates, if missing from SQLite's message: the foreign key, or the table of a check.
    func constraintHint(_ code: ResultCode, _ profile: StatementProfile) -> String? {
        let tables = profile.insertions.union(profile.updates.keys).map(\.name).sorted()
        switch code {
        case .SQLITE_CONSTRAINT_CHECK where tables.count == 1:
            return "the row does not meet a condition of table \"\(tables[0])\""
        case .SQLITE_CONSTRAINT_FOREIGNKEY where profile.transactionOperation != nil:
            return "a row refers to a missing one: `checkForeignKeys()` before the commit names it"
        case .SQLITE_CONSTRAINT_FOREIGNKEY:
            let changed = Set(tables.map(\.foldedDatabaseName))
            let deleted = Set(profile.deletions.map(\.name.foldedDatabaseName))
            let described = references().filter {
                changed.contains($0.table.foldedDatabaseName) || deleted.contains($0.parent.foldedDatabaseName)
            }
            return described.isEmpty
                ? nil
                : "a row must exist for each of these references: "
                    + described.map(\.description).joined(separator: ", ")
        default: return nil
        }
    }

    /// The foreign keys of the main schema, read once: a program may cause and ignore thousands of violations.
    private func references() -> [ForeignKeyHint] {
        if let known = foreignKeyHints, known.epoch == schemaEpoch { return known.hints }
        let epoch = schemaEpoch
        let rows = schemaNames(
            """
            SELECT group_concat(hex(t.name) || ' ' || hex(k."from") || ' ' || hex(k."table"), char(10))
            FROM sqlite_master t, pragma_foreign_key_list(t.name) k WHERE t.type = 'table'
            """)
        let hints = rows.compactMap { row -> ForeignKeyHint? in
            let names = row.split(separator: " ").map { String(hexadecimal: $0) }
            return names.count == 3 ? ForeignKeyHint(table: names[0], column: names[1], parent: names[2]) : nil
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
    let table, column, parent: String
    var description: String { "\"\(table)\".\"\(column)\" to \"\(parent)\"" }
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
