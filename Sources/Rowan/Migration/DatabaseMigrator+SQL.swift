// Migrations in SQL: text and files. Their checksums are stored so that later edits are detected.

public import RowanPlatform

extension DatabaseMigrator {
    /// Registers a migration in SQL, after those already registered.
    ///
    /// ```swift
    /// migrator.registerMigration("Create authors", sql: """
    ///     CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    ///     CREATE INDEX author_on_name ON author(name);
    ///     """)
    /// ```
    ///
    /// The database stores a checksum of the text. Once the migration has run, editing the text is an error:
    /// ``MigrationError/edited(_:)``. Line endings make no difference.
    ///
    /// The migration fails if the text begins, commits or rolls back a transaction, because each migration already runs
    /// in one.
    ///
    /// - Precondition: no migration with this identifier is registered.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred, sql: String
    ) {
        let text = sql.replacing("\r\n", with: "\n")
        register(
            Migration(identifier, checks(foreignKeyChecks), checksum: text.migrationChecksum) { db, _ in
                try db.execute(sql: text)
            })
    }

    /// Registers the SQL files of a folder, after the migrations already registered.
    ///
    /// ```swift
    /// // 1-authors.sql, 2-books.sql, 10-awards.sql
    /// try migrator.registerMigrations(in: Bundle.module.resourceURL!.appending(path: "Migrations"))
    /// ```
    ///
    /// The files are those whose names end with `.sql`, ordered by name; numbers in names are ordered by value. The
    /// name of a file, without `.sql`, is the identifier of its migration.
    ///
    /// - Throws: a Foundation error if the folder or a file can't be read, or if a file is not UTF-8. No migration is
    ///   then registered.
    /// - Precondition: no migration with one of these identifiers is registered.
    public mutating func registerMigrations(
        in folder: URL, foreignKeyChecks: ForeignKeyChecks = .deferred
    ) throws {
        guard folder.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme) }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .map { folder.appending(path: $0, directoryHint: .notDirectory) }
            .filter { $0.pathExtension == "sql" }
            .sorted { $0.lastPathComponent.isOrderedByNumbers(before: $1.lastPathComponent) }
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        for (file, text) in zip(files, texts) {
            registerMigration(
                file.deletingPathExtension().lastPathComponent, foreignKeyChecks: foreignKeyChecks, sql: text)
        }
    }
}

extension String {
    /// 64-bit FNV-1a, which detects edits but provides no security.
    /// <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>
    fileprivate var migrationChecksum: String {
        let hash = utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
        return "\(utf8.count)-\(String(hash, radix: 16))"
    }

    /// Whether a name comes first: `2-b` before `10-a`.
    fileprivate func isOrderedByNumbers(before other: String) -> Bool {
        var (rest, otherRest) = (self[...], other[...])
        while let first = rest.first, let otherFirst = otherRest.first {
            if first.isDigit, otherFirst.isDigit {
                let (number, otherNumber) = (rest.removingNumber(), otherRest.removingNumber())
                // Without leading zeros, the longer number is greater. Equal numbers don't decide.
                if number.count != otherNumber.count { return number.count < otherNumber.count }
                if number != otherNumber { return number < otherNumber }
            } else {
                if first != otherFirst { return first < otherFirst }
                (rest, otherRest) = (rest.dropFirst(), otherRest.dropFirst())
            }
        }
        return rest.isEmpty && otherRest.isEmpty ? self < other : rest.isEmpty
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) && isASCII }
}

extension Substring {
    /// Removes the digits at the start, and returns them without leading zeros.
    fileprivate mutating func removingNumber() -> Substring {
        let digits = prefix(while: \.isDigit)
        self = self[digits.endIndex...]
        return digits.drop { $0 == "0" }
    }
}
