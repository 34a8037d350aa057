// SQLite extensions: functions, virtual tables and file systems written in C by third parties.

extension Database {
    /// Loads an SQLite extension from a library. The configuration must allow it.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.allowsExtensions = true
    /// config.prepareDatabase { db in
    ///     try db.loadExtension(path: "/usr/local/lib/vec0")
    /// }
    /// let dbPool = try DatabasePool(path: path, configuration: config)
    /// ```
    ///
    /// The extension's additions are available only on this connection: load it in
    /// ``Configuration/prepareDatabase(_:)`` so that all connections of a pool have it. A library runs with all the
    /// program's rights, so load only libraries you trust. SQL can't load any: SQLite accepts libraries only during
    /// this call.
    ///
    /// - Parameters:
    ///   - path: the path of the library. Its suffix may be omitted.
    ///   - entryPoint: the name of the C function to call. By default, SQLite derives it from the name of the file:
    ///     `sqlite3_vec_init` for `vec0.so`.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_AUTH if the configuration does not allow extensions,
    ///   SQLITE_CANTOPEN if the file doesn't exist, and SQLITE_ERROR if the running SQLite is built without extensions,
    ///   like Apple's, or if the library can't be loaded.
    ///
    /// Article: <doc:VectorSearch>.
    ///
    /// Source: <https://sqlite.org/loadext.html>
    public func loadExtension(path: String, entryPoint: String? = nil) throws {
        guard configuration.allowsExtensions else {
            throw DatabaseError(
                resultCode: .SQLITE_AUTH,
                message: "the configuration does not allow extensions: set Configuration.allowsExtensions - \(path)")
        }
        guard configuration.trust == .trusted else {
            throw DatabaseError(
                resultCode: .SQLITE_AUTH,
                message:
                    "a connection to untrusted files or with untrusted SQL can't load extensions: link them into the "
                    + "program - \(path)")
        }
        try connection.loadExtension(path: path, entryPoint: entryPoint)
    }

    /// Loads an SQLite extension linked into the program. It works with any SQLite and needs no permission.
    ///
    /// ```swift
    /// import CSQLiteVec   // a target with the C sources of the extension
    ///
    /// config.prepareDatabase { db in
    ///     try db.loadExtension(entryPoint: sqlite3_vec_init)
    /// }
    /// ```
    ///
    /// If the extension is compiled with `SQLITE_CORE`, it calls the SQLite of the program, as it should on Apple
    /// systems. If its header includes `sqlite3ext.h`, Swift imports another type for the third argument. Pass a
    /// closure in this case: `{ sqlite3_vec_init($0, $1, UnsafePointer($2)) }`.
    ///
    /// - Parameter entryPoint: the C function `int (sqlite3 *, char **, const sqlite3_api_routines *)`.
    /// - Throws: a ``DatabaseError`` with the entry point's code and message; SQLITE_AUTH on a connection with untrusted
    ///   SQL, except in ``Configuration/prepareDatabase(_:)``.
    ///
    /// Article: <doc:VectorSearch>.
    ///
    /// Source: <https://sqlite.org/loadext.html#statically_linking_a_run_time_loadable_extension>
    public func loadExtension(entryPoint: SQLiteExtensionEntryPoint) throws {
        try connection.loadExtension(entryPoint: entryPoint)
    }
}
