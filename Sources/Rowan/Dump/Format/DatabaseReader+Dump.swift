// The dumps of queues, pools and snapshots. They also run inside an access of the same thread, as in a debugger.

extension DatabaseReader {
    /// Prints the rows of all statements of an SQL literal: see ``Database/dumpSQL(_:format:to:)``.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try dbQueue.dumpSQL("SELECT * FROM player ORDER BY id")
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_READONLY for a statement that writes. An error of the format.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try dumping { try $0.dumpSQL(sql, format: format, to: stream) }
    }

    /// Prints the rows of all statements of an SQL literal and reports the progress: see
    /// ``Database/dumpSQL(_:format:to:progress:)``.
    ///
    /// - Throws: a ``DatabaseError``, or an error of the format or of `progress`.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil,
        progress: @escaping DumpProgress.Handler
    ) throws {
        try dumping { try $0.dumpSQL(sql, format: format, to: stream, progress: progress) }
    }

    /// Prints the rows of a request: see ``Database/dumpRequest(_:format:to:)``.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try dbQueue.dumpRequest(Player.all())
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or an error of the format.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try dumping { try $0.dumpRequest(request, format: format, to: stream) }
    }

    /// Prints the rows of a request and reports the progress: see ``Database/dumpRequest(_:format:to:progress:)``.
    ///
    /// - Throws: a ``DatabaseError``, or an error of the format or of `progress`.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil,
        progress: @escaping DumpProgress.Handler
    ) throws {
        try dumping { try $0.dumpRequest(request, format: format, to: stream, progress: progress) }
    }

    /// Prints the rows of tables and views: see
    /// ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)``.
    ///
    /// ```swift
    /// // player
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// //
    /// // team
    /// // 1|Reds
    /// try dbQueue.dumpTables(["player", "team"])
    /// ```
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_ERROR for a missing table. An error of the format.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
    ) throws {
        try dumping {
            try $0.dumpTables(tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream)
        }
    }

    /// Prints the rows of tables and views, and reports the progress:
    /// see ``Database/dumpTables(_:format:tableHeader:stableOrder:to:progress:)``.
    ///
    /// - Throws: a ``DatabaseError``, or an error of the format or of `progress`.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil, progress: @escaping DumpProgress.Handler
    ) throws {
        try dumping {
            try $0.dumpTables(
                tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream,
                progress: progress)
        }
    }

    /// Prints the schema and the rows of the main database: see ``Database/dumpContent(format:to:)``.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    /// //
    /// // player
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try dbQueue.dumpContent()
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or an error of the format.
    public func dumpContent(
        format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try dumping { try $0.dumpContent(format: format, to: stream) }
    }

    /// Prints the schema and the rows of the main database and reports the progress: see
    /// ``Database/dumpContent(format:to:progress:)``.
    ///
    /// - Throws: a ``DatabaseError``, or an error of the format or of `progress`.
    public func dumpContent(
        format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil,
        progress: @escaping DumpProgress.Handler
    ) throws {
        try dumping { try $0.dumpContent(format: format, to: stream, progress: progress) }
    }

    /// Prints the schema of the main database: see ``Database/dumpSchema(to:)``.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    /// try dbQueue.dumpSchema()
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        try dumping { try $0.dumpSchema(to: stream) }
    }

    /// Runs a dump, inside the current access of the thread if there is one.
    func dumping(_ body: (Database) throws -> Void) throws {
        try unsafeReentrantRead { db in try db.inOneSnapshot { try body(db) } }
    }
}
