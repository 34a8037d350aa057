// The dumps of a connection. All of them step through a cursor row by row, so their memory does not grow with the
// number of rows.

extension Database {
    // MARK: SQL and requests

    /// Prints the rows of all statements of an SQL literal.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try db.dumpSQL("SELECT * FROM player ORDER BY id")
    /// ```
    ///
    /// - Parameters:
    ///   - sql: one or more statements, separated by semicolons.
    ///   - format: the format of the rows; `.debug()` by default.
    ///   - stream: the output stream; nil for the standard output. The dump writes to a copy of the stream: to get the
    ///     text, pass an instance of a class.
    /// - Throws: a ``DatabaseError``, or an error of the format. The stream has received the text so far.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try dump(to: stream, nil) { try $0.dump(self, sql, format) }
    }

    /// Prints the rows of all statements of an SQL literal and reports the progress.
    ///
    /// - Parameters:
    ///   - sql: one or more statements, separated by semicolons.
    ///   - format: the format of the rows; `.debug()` by default.
    ///   - stream: the output stream; nil for the standard output.
    ///   - progress: a closure that is called after every 64 KiB of text and at the end. If it throws an error, the
    ///     dump stops.
    /// - Throws: a ``DatabaseError``, or an error of the format or of `progress`.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil,
        progress: @escaping DumpProgress.Handler
    ) throws {
        try dump(to: stream, progress) { try $0.dump(self, sql, format) }
    }

    /// Prints the rows of a request.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try db.dumpRequest(Player.all())
    /// ```
    ///
    /// The rows of associations that the request includes with `including(all:)` follow, under the key of their
    /// association:
    ///
    /// ```swift
    /// // 1|Reds
    /// //
    /// // players
    /// // 1|Arthur|1
    /// // 2|Barbara|1
    /// try db.dumpRequest(Team.including(all: Team.players))
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request that fetches the rows.
    ///   - format: the format of the rows; `.debug()` by default.
    ///   - stream: the output stream; nil for the standard output. The dump writes to a copy of the stream: to get the
    ///     text, pass an instance of a class.
    /// - Throws: a ``DatabaseError``, or an error of the format. The stream has received the text so far.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try dump(to: stream, nil) { try $0.dump(self, request, format) }
    }

    /// Prints the rows of a request and reports the progress.
    ///
    /// - Parameters:
    ///   - request: the request that fetches the rows.
    ///   - format: the format of the rows; `.debug()` by default.
    ///   - stream: the output stream; nil for the standard output.
    ///   - progress: a closure that is called after every 64 KiB of text and at the end. If it throws an error, the
    ///     dump stops.
    /// - Throws: a ``DatabaseError``, or an error of the format or of `progress`.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil,
        progress: @escaping DumpProgress.Handler
    ) throws {
        try dump(to: stream, progress) { try $0.dump(self, request, format) }
    }

    // MARK: Tables

    /// Prints the rows of tables and views.
    ///
    /// ```swift
    /// // player
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// //
    /// // team
    /// // 1|Reds
    /// try db.dumpTables(["player", "team"])
    /// ```
    ///
    /// The rows of a table are printed in the order of its primary key.
    ///
    /// - Parameters:
    ///   - tables: the names of the tables and views, in output order.
    ///   - format: the format of the rows; `.debug()` by default.
    ///   - tableHeader: whether the name of each table is printed; by default, if there are several.
    ///   - stableOrder: whether the rows of views are printed in the order of all their columns. By default, the view
    ///     determines the order, which may be undefined.
    ///   - stream: the output stream; nil for the standard output. The dump writes to a copy of the stream: to get the
    ///     text, pass an instance of a class.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_ERROR for a missing table. An error of the format.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
    ) throws {
        try dump(to: stream, nil) { try $0.dump(self, tables, format, tableHeader, stableOrder: stableOrder) }
    }

    /// Prints the rows of tables and views, and reports the progress.
    ///
    /// - Parameters:
    ///   - tables: the names of the tables and views, in output order.
    ///   - format: the format of the rows; `.debug()` by default.
    ///   - tableHeader: whether the name of each table is printed; by default, if there are several.
    ///   - stableOrder: whether the rows of views are printed in the order of all their columns.
    ///   - stream: the output stream; nil for the standard output.
    ///   - progress: a closure that is called after every 64 KiB of text and at the end. If it throws an error, the
    ///     dump stops.
    /// - Throws: a ``DatabaseError``, or an error of the format or of `progress`.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil, progress: @escaping DumpProgress.Handler
    ) throws {
        try dump(to: stream, progress) { try $0.dump(self, tables, format, tableHeader, stableOrder: stableOrder) }
    }

    // MARK: The database

    /// Prints the schema and the rows of the main database.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    /// //
    /// // player
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try db.dumpContent()
    /// ```
    ///
    /// Tables are printed in the order of their names. SQLite's own tables, the migration table, and the tables in
    /// which virtual tables store their content are not printed. For text that restores the database, see
    /// ``dumpScript(schema:to:)``.
    ///
    /// - Parameters:
    ///   - format: the format of the rows; `.debug()` by default.
    ///   - stream: the output stream; nil for the standard output. The dump writes to a copy of the stream: to get the
    ///     text, pass an instance of a class.
    /// - Throws: a ``DatabaseError``, or an error of the format. The stream has received the text so far.
    public func dumpContent(
        format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try dump(to: stream, nil) { try $0.dumpContent(self, format) }
    }

    /// Prints the schema and the rows of the main database and reports the progress.
    ///
    /// - Parameters:
    ///   - format: the format of the rows; `.debug()` by default.
    ///   - stream: the output stream; nil for the standard output.
    ///   - progress: a closure that is called after every 64 KiB of text and at the end. If it throws an error, the
    ///     dump stops.
    /// - Throws: a ``DatabaseError``, or an error of the format or of `progress`.
    public func dumpContent(
        format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil,
        progress: @escaping DumpProgress.Handler
    ) throws {
        try dump(to: stream, progress) { try $0.dumpContent(self, format) }
    }

    /// Prints the schema of the main database.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    /// try db.dumpSchema()
    /// ```
    ///
    /// - Parameter stream: the output stream; nil for the standard output. The dump writes to a copy of the stream: to
    ///   get the text, pass an instance of a class.
    /// - Throws: a ``DatabaseError``.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        try dump(to: stream, nil) { try $0.dumpSchema(DumpedObject.all(self)) }
    }

    // MARK: Streams

    /// Runs a dump. Its text reaches the stream even if it fails.
    func dump(
        to stream: (any TextOutputStream)?, _ progress: DumpProgress.Handler?,
        _ body: (inout DumpStream) throws -> Void
    ) throws {
        var dump = DumpStream(stream, progress)
        defer { dump.buffer.flushAll() }
        try body(&dump)
        try dump.finish()
    }
}
