// A script in pieces, for a database that can't run it in one transaction, and that creates virtual tables only with
// CREATE VIRTUAL TABLE.

/// The statements of a script that restores the main database of a connection.
///
/// Tables come first, then rows, and at last the end. Indexes come before or after the rows of their table.
package struct ScriptPieces {
    /// A table with rows.
    package struct Table {
        package let name: String
        /// The statement that creates it.
        package let definition: SQLDefinition
        package let isVirtual: Bool
    }

    /// An index.
    package struct Index {
        package let table: String
        /// The statement that creates it.
        package let definition: SQLDefinition
    }

    private let writer: ScriptWriter

    /// - Throws: SQLITE_CORRUPT for a definition that isn't one statement; SQLITE_MISMATCH for a name that isn't UTF-8.
    package init(_ db: Database) throws {
        writer = try ScriptWriter(db, DatabaseSchemaID(name: "main"))
        guard writer.unreadable.objects.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message: "the schema contains a name that is not valid UTF-8: rename the table, column or index first")
        }
    }

    /// The tables, including those in which virtual tables store their content.
    package var tables: [Table] {
        writer.objects(.table, .virtualTable).compactMap { object in
            object.definition.map {
                Table(name: object.name, definition: $0, isVirtual: object.kind == .virtualTable)
            }
        }
    }

    /// The indexes, except for those that belong to a constraint.
    package var indexes: [Index] {
        writer.objects(.uniqueIndex, .index).compactMap { object in
            object.definition.map { Index(table: object.table, definition: $0) }
        }
    }

    /// The definitions of the views and triggers.
    package var viewsAndTriggers: [SQLDefinition] {
        (writer.objects(.view) + writer.objects(.trigger)).compactMap(\.definition)
    }

    /// Calls a closure with each statement that inserts rows of a table: at most 256 rows, or 16 KiB and one row.
    ///
    /// - Parameters:
    ///   - table: a table that isn't virtual.
    ///   - verb: the first words of the statements.
    /// - Throws: a ``DatabaseError``; the error of `body`.
    package func insertions(
        into table: String, verb: String = "INSERT INTO", _ body: (String) throws -> Void
    ) throws {
        try withoutActuallyEscaping(body) { body in
            let text = CollectedText()
            var stream = DumpStream(text, nil)
            stream.statementHandler = { try body(text.take()) }
            try writer.writeRows(of: table, verb: verb, to: &stream)
        }
    }

    /// What follows the rows: the next rowids of `AUTOINCREMENT` tables, views, triggers, the statistics of `ANALYZE`, and
    /// the numbers in the header of the file.
    ///
    /// - Throws: a ``DatabaseError``.
    package func end() throws -> String {
        let text = CollectedText()
        var stream = DumpStream(text, nil)
        try writer.writeSequence(to: &stream)
        for definition in viewsAndTriggers { stream.write(definition.terminated + "\n") }
        try writer.writeStatistics(to: &stream)
        try writer.writeNumbers(to: &stream)
        try stream.finish()
        return text.take()
    }
}

/// Text that is taken in parts.
private final class CollectedText: TextOutputStream {
    private var text = ""

    func write(_ string: String) { text += string }

    func take() -> String {
        defer { text = "" }
        return text
    }
}
