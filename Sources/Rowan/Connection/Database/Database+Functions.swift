// The available SQL functions, which depend on SQLite's version and build options.

extension Database {
    /// Whether a function is available: an SQLite function or a custom one.
    ///
    /// ```swift
    /// if try db.hasFunction("jsonb", argumentCount: 1) { ... }   // SQLite 3.45
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name, case-insensitive.
    ///   - argumentCount: the number of arguments; nil for any number.
    /// - Throws: SQLite's error.
    ///
    /// Source: <https://sqlite.org/pragma.html#pragma_function_list>
    public func hasFunction(_ name: String, argumentCount: Int? = nil) throws -> Bool {
        let sql = """
            SELECT 1 FROM pragma_function_list
            WHERE name = ?1 COLLATE NOCASE AND (?2 IS NULL OR narg < 0 OR narg = ?2) LIMIT 1
            """
        return try !Row.rows(connection, sql, [name, argumentCount]).isEmpty
    }

    /// The names of the available JSON functions, sorted: `json`, `json_array`…
    ///
    /// - Throws: SQLite's error.
    public var jsonFunctionNames: [String] {
        get throws {
            let sql = "SELECT DISTINCT name FROM pragma_function_list WHERE name LIKE 'json%' ORDER BY name"
            return try Row.rows(connection, sql).map { $0["name"] }
        }
    }
}

extension Database {
    package func requireSQLite(_ version: Int, for feature: String) throws {
        try Self.requireSQLite(version, running: Int(LocalConnection.libraryVersion), for: feature)
    }

    package static func requireSQLite(_ version: Int, running: Int, for feature: String) throws {
        guard running < version else { return }
        func text(_ number: Int) -> String { "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)" }
        throw DatabaseError(
            message: "\(feature) requires SQLite \(text(version)) or later: this program uses SQLite \(text(running))")
    }
}
