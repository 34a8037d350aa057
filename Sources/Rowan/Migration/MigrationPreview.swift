// A dry run: the migrations run on a copy of the database.

/// What migrations would do.
///
/// Article: <doc:Migrations>.
public struct MigrationPreview: Sendable, CustomStringConvertible {
    /// A migration and the statements with which it changes the database.
    public struct Step: Hashable, Sendable {
        /// The identifier of the migration.
        public let identifier: String
        /// The statements of the migration, with their arguments as literals.
        public let statements: [String]
    }

    /// The migrations that would run, in order.
    public let steps: [Step]
    /// The differences between the schema after the migrations and the current one: `missing` is what the migrations
    /// drop, `unexpected` is what they create.
    public let differences: [SchemaDifference]

    /// The statements of each migration, and the schema changes.
    public var description: String {
        var lines: [String] = []
        for step in steps {
            lines.append("-- \(step.identifier)")
            lines += step.statements.map { "\($0);" }
        }
        if !differences.isEmpty { lines.append("-- Changes of the schema:") }
        // A definition has several lines, none of which is SQL to run.
        lines += differences.map { "--   \($0.change.replacing("\n", with: "\n--   "))" }
        return lines.joined(separator: "\n")
    }
}

extension SchemaDifference {
    /// The difference, in terms of what happens to the previous schema.
    fileprivate var change: String {
        let name = "\(object.kind.rawValue) \(object.name)"
        return switch self {
        case .missing: "drops \(name)"
        case .unexpected: "creates \(name)"
        case .changed(let object, _, _): "changes \(name): \(object.sql ?? "")"
        }
    }
}

extension DatabaseMigrator {
    /// Runs the migrations that have not run on a copy of the database, and returns what they do.
    ///
    /// ```swift
    /// print(try migrator.preview(dbPool))
    /// // -- Create authors
    /// // CREATE TABLE "author" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL);
    /// // -- Changes of the schema:
    /// //   creates table author
    /// ```
    ///
    /// The database itself does not change. ``eraseDatabaseOnSchemaChange`` is ignored: the copy is never erased, and the
    /// preview shows what the pending migrations do to the existing database.
    ///
    /// - Throws: the errors of ``migrate(_:upTo:)``.
    /// - Complexity: copies the database to a temporary file.
    public func preview(_ reader: any DatabaseReader, upTo target: String? = nil) throws -> MigrationPreview {
        // An empty path is a temporary file that SQLite deletes.
        let copy = try DatabaseQueue(path: "", configuration: reader.configuration.forScratchDatabase)
        try reader.backup(to: copy)
        return try copy.writeWithoutTransaction { db in
            let recorder = StatementRecorder()
            var migrator = self
            migrator.eraseDatabaseOnSchemaChange = false
            migrator.backupPath = nil
            migrator.onProgress = nil
            migrator.registered = registered.map(recorder.recording)
            let before = try SchemaSnapshot(db, excluding: AppliedMigrations.owns)
            try migrator.migrate(db, upTo: target)
            let after = try SchemaSnapshot(db, excluding: AppliedMigrations.owns)
            return MigrationPreview(steps: recorder.steps, differences: after.differences(from: before))
        }
    }
}

/// Records the statements of migrations.
private final class StatementRecorder: Sendable {
    private let recorded = Mutex<[MigrationPreview.Step]>([])

    var steps: [MigrationPreview.Step] { recorded.withLock { $0 } }

    /// The same migration, which also records its statements.
    func recording(_ migration: Migration) -> Migration {
        Migration(
            migration.identifier, migration.checks, merging: migration.mergedIdentifiers, checksum: migration.checksum
        ) { [self] db, applied in
            var statements: [String] = []
            try db.tracingWrites {
                // A statement of a script ends with its semicolon.
                statements.append(String($0.hasSuffix(";") ? $0.dropLast() : $0[...]))
            } during: {
                try migration.body(db, applied)
            }
            recorded.withLock { [statements] in
                $0.append(MigrationPreview.Step(identifier: migration.identifier, statements: statements))
            }
        }
    }
}
