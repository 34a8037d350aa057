// Tests that the databases of released versions can be migrated.

public import Foundation
public import Rowan
public import Testing

/// Migrates the databases of released versions, which are kept as SQL scripts next to the tests.
///
/// ```swift
/// let released = MigrationTest(migrator, folder: snapshots)
///
/// @Test func migrations() throws { try released.run() }
///
/// // Once, before version 1.2 is released:
/// try released.record(version: "1.2") { db in _ = try City(name: "Ulm").inserted(db) }
/// ```
public struct MigrationTest: Sendable {
    /// The error for a version that already has a snapshot.
    public struct ExistingVersionError: Error, CustomStringConvertible {
        /// The file.
        public let url: URL
        /// The problem and what to do.
        public var description: String {
            "\(url.path) exists, and the snapshot of a released version does not change: record another version, or delete the file"
        }
    }

    private let migrator: DatabaseMigrator
    private let folder: URL
    private let configuration: Configuration

    /// Creates the test of a migrator.
    ///
    /// - Parameters:
    ///   - migrator: all migrations.
    ///   - folder: the folder of the snapshots, with one file per version.
    ///   - configuration: the configuration of the connections.
    public init(_ migrator: DatabaseMigrator, folder: URL, configuration: Configuration = Configuration()) {
        (self.migrator, self.folder, self.configuration) = (migrator, folder, configuration)
    }

    /// Writes the snapshot of a version: its schema and sample rows.
    ///
    /// - Parameters:
    ///   - version: the name of the file.
    ///   - identifier: the last migration of the version; nil for all.
    ///   - rows: inserts typical user rows. Use SQL, because record types change.
    /// - Throws: ``ExistingVersionError`` if the version has a snapshot, a ``/Rowan/DatabaseError``, or a Foundation
    ///   error.
    public func record(
        version: String, upTo identifier: String? = nil, rows: (Database) throws -> Void
    ) throws {
        let url = folder.appendingPathComponent("\(version).sql")
        guard !FileManager.default.fileExists(atPath: url.path) else { throw ExistingVersionError(url: url) }
        let queue = try DatabaseQueue(configuration: configuration)
        if let identifier { try migrator.migrate(queue, upTo: identifier) } else { try migrator.migrate(queue) }
        try queue.write(rows)
        let script = ScriptText()
        try queue.read { db in try db.dumpScript(to: script) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(script.text.utf8).write(to: url, options: .atomic)
    }

    /// Migrates each snapshot: it must have the schema of a new database, keep the rows of the tables that still exist,
    /// and violate no foreign key. Each problem is an issue at the line of the caller.
    ///
    /// - Parameter sourceLocation: the location of a failure.
    /// - Throws: an error if the folder can't be read.
    public func run(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "sql" }.sorted { $0.lastPathComponent < $1.lastPathComponent }
        if files.isEmpty {
            recordIssue(
                "there is no snapshot in \(folder.path): write one with record(version:) before a version is released",
                sourceLocation)
        }
        for file in files {
            let problems: [String]
            do { problems = try self.problems(of: file) } catch { problems = ["it can't be migrated: \(error)"] }
            for problem in problems {
                recordIssue("\(file.lastPathComponent): \(problem)", sourceLocation)
            }
        }
    }

    private func problems(of file: URL) throws -> [String] {
        let script = try String(contentsOf: file, encoding: .utf8)
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.inDatabase { db in try db.execute(sql: script) }
        let before = try queue.read(rowCounts)
        try migrator.migrate(queue)
        return try queue.read { db in
            let after = try rowCounts(db)
            let lost = before.sorted { $0.key < $1.key }.compactMap { table, count in
                after[table].flatMap { $0 < count ? "the table \(table) had \(count) rows, and has \($0)" : nil }
            }
            let count = try db.foreignKeyViolations().count()
            let violations = count > 0 ? ["\(count) rows violate a foreign key"] : []
            return try migrator.schemaDifferences(db).map(\.description) + lost + violations
        }
    }

    private func rowCounts(_ db: Database) throws -> [String: Int] {
        let tables = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return try Dictionary(
            uniqueKeysWithValues: tables.map { table in (table, try Table(table).fetchCount(db)) })
    }
}

/// The text of a script. A class, because a dump writes to a copy of its stream.
private final class ScriptText: TextOutputStream {
    private(set) var text = ""
    func write(_ string: String) { text += string }
}

extension Cursor {
    /// The number of elements.
    fileprivate func count() throws -> Int {
        var count = 0
        while try next() != nil { count += 1 }
        return count
    }
}
