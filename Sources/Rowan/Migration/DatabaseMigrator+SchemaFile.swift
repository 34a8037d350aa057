// The schema as a file, against which `#sql` checks SQL.

public import RowanPlatform

extension DatabaseMigrator {
    /// Writes the schema that the migrations create, as SQL.
    ///
    /// ```swift
    /// // In the package: #sql checks the SQL of all files below this folder.
    /// try migrator.writeSchema(to: URL(filePath: "Sources/App/schema.sql"))
    /// ```
    ///
    /// The file contains the tables, indexes, views and triggers, but no rows and no migration table. Lines of an
    /// existing file that start with `-- rowan:` are kept: they declare the functions, collations and tokenizers that
    /// the program adds to its connections. A file that needs no change is not written.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - configuration: the configuration of the connection that runs the migrations. It adds the functions that they
    ///     use.
    /// - Throws: an error of a migration, a ``DatabaseError``, or a Foundation error if the file can't be read or
    ///   written.
    /// - Complexity: runs all migrations on an empty database in a temporary file.
    public func writeSchema(to url: URL, configuration: Configuration = Configuration()) throws {
        let existing =
            FileManager.default.fileExists(atPath: url.path)
            ? try String(contentsOf: url, encoding: .utf8) : nil
        let text = try SchemaFile.text(
            freshSchema(registered, configuration), declarations: SchemaFile.declarations(existing ?? ""))
        guard text != existing else { return }
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    /// Checks that a file contains the schema that the migrations create. Call it in a test.
    ///
    /// ```swift
    /// @Test func schemaFile() throws {
    ///     try migrator.verifySchema(in: URL(filePath: "Sources/App/schema.sql"))
    /// }
    /// ```
    ///
    /// The schemas are compared as SQL: spaces, comments, quotes and the case of words make no difference.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - configuration: the configuration of the connection that runs the migrations and the file.
    /// - Throws: ``SchemaFileError`` if the file differs; an error of a migration, a ``DatabaseError`` if the file is
    ///   not SQL, or a Foundation error if it can't be read.
    /// - Complexity: runs all migrations on an empty database in a temporary file.
    public func verifySchema(in url: URL, configuration: Configuration = Configuration()) throws {
        let sql = try String(contentsOf: url, encoding: .utf8)
        let written = try withScratchDatabase(configuration) { db in
            try db.execute(sql: sql)
            return try SchemaSnapshot(db)
        }
        let differences = written.differences(from: try freshSchema(registered, configuration))
        guard differences.isEmpty else { throw SchemaFileError(url: url, differences: differences) }
    }
}

/// The error for a file that does not have the schema of the migrations.
///
/// Article: <doc:CheckedSQL>.
public struct SchemaFileError: Error, CustomStringConvertible, LocalizedError {
    /// The file.
    public let url: URL
    /// The differences: what the file lacks or has in addition.
    public let differences: [SchemaDifference]

    /// The differences and what to do.
    public var description: String {
        "\(url.path) is not the schema of the migrations: write it again with writeSchema(to:).\n"
            + differences.map(\.description).joined(separator: "\n")
    }

    /// The differences and what to do.
    public var errorDescription: String? { description }
}

private enum SchemaFile {
    static let declarationMark = "-- rowan:"

    /// The lines of a text that declare what SQL can't express. Inside a statement, they are comments.
    static func declarations(_ text: String) -> [Substring] {
        text.split(whereSeparator: \.isNewline).filter {
            $0.hasPrefix(declarationMark) && (";" + text[..<$0.startIndex]).isCompleteSQL
        }
    }

    static func text(_ schema: SchemaSnapshot, declarations: [Substring]) throws -> String {
        let header = [
            "-- The schema that the migrations create. DatabaseMigrator.writeSchema(to:) writes it, #sql reads it."
        ]
        let start = (header + declarations.map(String.init)).joined(separator: "\n")
        return try ([start] + schema.definitions.map(\.terminated)).joined(separator: "\n\n") + "\n"
    }
}
