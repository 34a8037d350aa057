// A database as SQL. Scripts of the sqlite3 shell begin a transaction, disable foreign keys, and leave rowids out:
// `execute(sql:)` can't run them in a write, and what they restore differs from the original.

extension Database {
    /// Prints an SQL script that restores a database.
    ///
    /// ```swift
    /// try db.dumpScript(to: file)
    /// // In an empty database:
    /// try otherQueue.write { try $0.execute(sql: script) }
    /// ```
    ///
    /// The restored database is equal to the original:
    ///
    /// - It has the same tables, indexes, views and triggers, and the same `user_version` and `application_id`.
    /// - It has the same rows, with the same values of all storage classes, and the same rowids. Rowids are lost only if
    ///   columns hide all three names of the rowid.
    /// - Virtual tables, such as full-text tables, have the same content: the script restores the tables in which they
    ///   store it. Their modules are needed only to use them.
    /// - Definitions that are not valid UTF-8, which no SQL text can contain, are restored from their bytes.
    /// - The next rowids of `AUTOINCREMENT` tables and the statistics of `ANALYZE` are also restored.
    ///
    /// Temporary objects are not part of the script. A script restores an attached database as a main database. Run it on a
    /// connection without temporary tables of the same names, which would receive the rows.
    ///
    /// The script runs in a savepoint, inside or outside a transaction. It defers foreign keys to the end of the
    /// transaction. If rows of the original violate a foreign key, it disables foreign keys instead, which SQLite
    /// ignores inside a transaction: run the script in `writeWithoutTransaction` of a ``DatabaseWriter`` in this case.
    /// At its end, foreign keys are enabled or disabled as on this connection.
    ///
    /// Sources: <https://sqlite.org/cli.html#converting_an_entire_database_to_a_text_file>,
    /// <https://sqlite.org/pragma.html#pragma_writable_schema>
    ///
    /// - Parameters:
    ///   - schema: the name of the database: `main`, or an attached database.
    ///   - stream: the output stream; nil for the standard output. The dump writes to a copy of the stream: to get the
    ///     text, pass an instance of a class.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_ERROR if no database has this name, and SQLITE_CORRUPT if a
    ///   definition in the schema isn't a single statement that creates its object, as in a crafted file. The stream
    ///   has received the text so far.
    /// - Complexity: O(*n*), where *n* is the size of the database. The memory does not depend on it.
    public func dumpScript(schema: String = "main", to stream: (any TextOutputStream)? = nil) throws {
        try dump(to: stream, nil) { try $0.dumpScript(self, schema) }
    }

    /// Prints an SQL script that restores a database and reports the progress: see ``dumpScript(schema:to:)``.
    ///
    /// - Parameters:
    ///   - schema: the name of the database: `main`, or an attached database.
    ///   - stream: the output stream; nil for the standard output.
    ///   - progress: a closure that is called after every 64 KiB of text and at the end. If it throws an error, the
    ///     dump stops.
    /// - Throws: a ``DatabaseError``, or an error of `progress`.
    public func dumpScript(
        schema: String = "main", to stream: (any TextOutputStream)? = nil, progress: @escaping DumpProgress.Handler
    ) throws {
        try dump(to: stream, progress) { try $0.dumpScript(self, schema) }
    }
}

extension DatabaseReader {
    /// Prints an SQL script that restores a database: see ``Database/dumpScript(schema:to:)``.
    ///
    /// ```swift
    /// try dbQueue.dumpScript(to: file)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func dumpScript(schema: String = "main", to stream: (any TextOutputStream)? = nil) throws {
        try dumping { try $0.dumpScript(schema: schema, to: stream) }
    }

    /// Prints an SQL script that restores a database and reports the progress: see
    /// ``Database/dumpScript(schema:to:progress:)``.
    ///
    /// - Throws: a ``DatabaseError``, or an error of `progress`.
    public func dumpScript(
        schema: String = "main", to stream: (any TextOutputStream)? = nil, progress: @escaping DumpProgress.Handler
    ) throws {
        try dumping { try $0.dumpScript(schema: schema, to: stream, progress: progress) }
    }
}

extension DumpStream {
    mutating func dumpScript(_ db: Database, _ schema: String) throws {
        try db.inOneSnapshot {
            var script = try ScriptWriter(db, DatabaseSchemaID(name: schema))
            try script.write(to: &self)
        }
    }
}
