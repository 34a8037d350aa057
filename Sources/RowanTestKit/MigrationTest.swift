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
/// try released.record(version: "1.2")
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

    /// Writes the snapshot of a version: its schema and rows, made from the schema if you give none.
    ///
    /// ```swift
    /// try released.record(version: "1.2")
    /// try released.record(version: "1.3") { db in
    ///     try db.execute(sql: "INSERT INTO city (code) VALUES ('DE-ULM')")
    ///     try db.insertSampleRows()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - version: the name of the file.
    ///   - identifier: the last migration of the version; nil for all.
    ///   - rows: inserts typical user rows. Use SQL, because record types change. By default,
    ///     ``/Rowan/Database/insertSampleRows(except:)`` inserts them; the closure can call it as well.
    /// - Throws: ``ExistingVersionError`` if the version has a snapshot, a ``SampleRowsError`` if no row can be made for a
    ///   table, a ``/Rowan/DatabaseError``, or a Foundation error.
    public func record(
        version: String, upTo identifier: String? = nil,
        rows: (Database) throws -> Void = { db in try db.insertSampleRows() }
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

    /// Migrates each snapshot: it must have the schema of a new database, keep the rows and the values of the tables and
    /// columns that still exist, and violate no foreign key. Each problem is an issue at the line of the caller. If a
    /// migration that a version has run was edited since, it is named.
    ///
    /// ```swift
    /// try released.run(changing: ["city": ["name"]]) { db, version in
    ///     let isNameless = try Bool.fetchOne(db, sql: "SELECT count(*) > 0 FROM city WHERE name = ''")
    ///     #expect(isNameless == false, "\(version)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - changing: the columns whose values migrations change on purpose, by table.
    ///   - losing: the tables whose rows migrations delete on purpose.
    ///   - sourceLocation: the location of a failure.
    ///   - check: checks the migrated database of a version. Its errors are issues.
    /// - Throws: an error if the folder can't be read.
    public func run(
        changing: [String: Set<String>] = [:], losing: Set<String> = [],
        sourceLocation: SourceLocation = #_sourceLocation,
        check: (_ db: Database, _ version: String) throws -> Void = { _, _ in }
    ) throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "sql" }.sorted { $0.lastPathComponent < $1.lastPathComponent }
        if files.isEmpty {
            recordIssue(
                "there is no snapshot in \(folder.path): write one with record(version:) before a version is released",
                sourceLocation)
        }
        for file in files {
            let problems: [String]
            do {
                problems = try self.problems(of: file, RowComparison(changing: changing, losing: losing), check)
            } catch { problems = ["it can't be migrated: \(error)"] }
            for problem in problems {
                recordIssue("\(file.lastPathComponent): \(problem)", sourceLocation)
            }
        }
    }

    private func problems(
        of file: URL, _ comparison: RowComparison, _ check: (Database, String) throws -> Void
    ) throws -> [String] {
        let script = try String(contentsOf: file, encoding: .utf8)
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.inDatabase { db in try db.execute(sql: script) }
        let edited = try queue.read(migrator.schemaChanges).migrations
        var problems =
            edited.isEmpty ? [] : ["a migration was edited after this version: \(edited.joined(separator: " or "))"]
        do {
            let before = try queue.read(comparison.read)
            try migrator.migrate(queue)
            try queue.read { db in
                problems += try migrator.schemaDifferences(db).map(\.description)
                problems += comparison.problems(before, try comparison.read(db))
                let count = try db.foreignKeyViolations().count()
                if count > 0 { problems.append("\(count) rows violate a foreign key") }
                do { try check(db, file.deletingPathExtension().lastPathComponent) } catch {
                    problems.append("the check has failed: \(error)")
                }
            }
        } catch {
            problems.append("it can't be migrated: \(error)")
        }
        return problems
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
