// A database as bytes, to send, embed or test it.

public import RowanPlatform

extension Database {
    /// The bytes of a file with the content of the database.
    ///
    /// ```swift
    /// let data = try dbQueue.read { db in try db.serialize() }
    /// let copy = try DatabaseQueue(deserializing: data)
    /// ```
    ///
    /// In a transaction, its changes are included. The bytes of an empty database may be empty. If the bytes are
    /// written to a file, the file is a database.
    ///
    /// Source: <https://sqlite.org/c3ref/serialize.html>
    ///
    /// - Parameter schema: the name of the database: `main`, or an attached database.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_ERROR if no database has this name, SQLITE_NOMEM if there is
    ///   not enough memory.
    /// - Complexity: O(*n*), where *n* is the size of the database. It must fit in memory.
    public func serialize(schema: String = "main") throws -> Data { try connection.serialize(schema) }

    /// Replaces the database with the bytes of a file. The database is then in memory: the previous file does not
    /// change.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH ':memory:' AS embedded")
    /// try db.deserialize(data, schema: "embedded")
    /// ```
    ///
    /// Observers are notified of a change of the full database, and observations fetch again.
    ///
    /// Don't replace the main database of a pool: its connections would no longer share a database.
    ///
    /// Source: <https://sqlite.org/c3ref/deserialize.html>
    ///
    /// - Parameters:
    ///   - data: bytes from ``serialize(schema:)``, or from a database file that is not in WAL mode.
    ///   - schema: the name of the database to replace: `main`, or an attached database.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_ERROR if no database has this name, SQLITE_BUSY while a
    ///   statement is running, SQLITE_MISUSE in a transaction or a read, SQLITE_NOTADB if the bytes are not a database.
    /// - Complexity: O(*n*), where *n* is the number of bytes, which are copied.
    public func deserialize(_ data: Data, schema: String = "main") throws {
        guard !isInsideTransaction, connection.readOnlyDepth == 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a database can't be replaced in a transaction or a read: use writeWithoutTransaction")
        }
        // SQLite would free the pages under a running statement.
        guard !connection.holdsTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_BUSY,
                message: "a database can't be replaced while statements are running: release cursors first")
        }
        try connection.deserialize(data, into: schema)
        // The first read fails if the bytes are not a database.
        let table = "\(schema.quotedDatabaseIdentifier).\(DatabaseSchemaID(name: schema).schemaTableName)"
        try makeStatement(sql: "SELECT 1 FROM \(table) LIMIT 1").runToEnd()
        guard isObserved else { return }
        // The commit makes observations fetch again.
        try inTransaction(.deferred) {
            try databaseWasReplaced()
            return .commit
        }
    }
}

extension DatabaseReader {
    /// The bytes of a file with the content of the database: see ``Database/serialize(schema:)``.
    ///
    /// ```swift
    /// let data = try dbQueue.serialize()
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func serialize(schema: String = "main") throws -> Data { try read { try $0.serialize(schema: schema) } }
}

extension DatabaseQueue {
    /// Opens a database in memory with the bytes of a file.
    ///
    /// ```swift
    /// let data = try Data(contentsOf: url)
    /// let dbQueue = try DatabaseQueue(deserializing: data)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_NOTADB if the bytes are not a database.
    public convenience init(deserializing data: Data, configuration: Configuration = Configuration()) throws {
        try self.init(configuration: configuration)
        try writeWithoutTransaction { try $0.deserialize(data) }
    }
}
