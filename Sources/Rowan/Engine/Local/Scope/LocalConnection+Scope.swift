// Statements of a scope: see ScopeRestriction.

import RowanSQLText
import RowanSQLite

extension LocalConnection {
    /// Whether the current access has a scope.
    package var isInScope: Bool { scopeNumber != 0 }

    /// Runs the closure, whose statements can only do what a scope allows.
    ///
    /// - Parameter values: the values of the scope's conditions.
    package func scoped<T>(
        _ scope: ScopeRestriction, _ values: [DatabaseValue], _ body: () throws -> T
    ) throws -> T {
        scope.values = values
        scope.enter(self)
        defer { scope.leave(self) }
        return try body()
    }

    /// Runs the closure while temporary triggers check the rows that a scope writes. A rollback of the transaction
    /// removes them: in the scope, nothing can roll it back.
    package func checkingRows<T>(of scope: ScopeRestriction, _ body: () throws -> T) throws -> T {
        let triggers = scope.triggers(checksReferences: isOn(.foreignKeys))
        guard !triggers.isEmpty else { return try body() }
        func runAll(_ statements: [String]) throws {
            try shielded {
                try unrestricted {
                    try openHooks().silently { for sql in statements { try check(runUnchecked(sql)) } }
                }
            }
        }
        // If a trigger remains, it rejects all rows.
        defer { try? runAll(triggers.map { "DROP TRIGGER IF EXISTS temp.\($0.name)" }) }
        try runAll(triggers.map(\.sql))
        scope.needsTransaction = isInsideTransaction
        return try body()
    }

    /// The scope of the current access, if it has one.
    package var scope: ScopeRestriction? { hooks?.scope }

    /// Runs the closure, which runs statements of Rowan, outside of the scope.
    package func withoutScope<T>(_ body: () throws -> T) rethrows -> T {
        guard let scope = hooks?.scope else { return try body() }
        scope.leave(self)
        defer { scope.enter(self) }
        return try body()
    }

    /// - Throws: SQLITE_AUTH in a scope.
    package func refuseInScope(_ action: String) throws {
        guard isInScope else { return }
        throw DatabaseError(resultCode: .SQLITE_AUTH, message: "a scope can't \(action)")
    }

    /// - Throws: SQLITE_MISUSE if the rows are stored elsewhere.
    package func refuseScopesRemotely() throws {
        try refuseRemotely("scopes", "read a copy of the database, from DatabaseCluster.dump(to:)")
    }

    /// Compiles the first statement of a text for a scope.
    ///
    /// - Returns: the statement, or nil if it is blank, and the length of its text.
    func compile(
        _ text: UnsafeBufferPointer<UInt8>, flags: CUnsignedInt, in scope: ScopeRestriction
    ) throws -> (statement: Statement?, length: Int) {
        let source = try ScopedText(text, schemas: scope.schemas)
        guard !source.isEmpty else { return (nil, source.length) }
        func compiled(isFenced: Bool) throws -> (result: Statement?, findings: ScopeRestriction.Findings) {
            let sql = source.version(
                commonTables: scope.commonTables(for: source.names, isFenced: isFenced),
                condition: scope.condition(of: source), isFenced: isFenced)
            return try scope.compiling(source) {
                try sql.withBytes { try compileText($0, flags: flags, source: source.sql).statement }
            }
        }
        var (statement, findings) = try compiled(isFenced: source.concatenates)
        if findings.mayFail, !source.concatenates { (statement, findings) = try compiled(isFenced: true) }
        try scope.check(source, findings, isObject: isObject)
        return (statement, source.length)
    }

    /// Whether the name is that of a table or a view, or of a module with a table of its own.
    private func isObject(_ name: String) -> Bool {
        withoutScope {
            var statement: SQLiteStatement?
            defer { sqlite3_finalize(statement) }
            let sql = "SELECT 1 FROM \(name.quotedDatabaseIdentifier)"
            return sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK
        }
    }

    /// Adds the function that returns the values of scopes.
    package func addScopeFunction() throws {
        let hooks = try openHooks()
        // Invariant: SQLite calls functions only while the connection is open, which keeps its hooks.
        try check(
            sqlite3_create_function_v2(
                openPointer(), ScopeRestriction.function, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                Unmanaged.passUnretained(hooks).toOpaque(),
                { context, _, arguments in
                    let hooks = Unmanaged<ConnectionHooks>.fromOpaque(sqlite3_user_data(context)!)
                        .takeUnretainedValue()
                    let index = Int(sqlite3_value_int64(arguments![0]))
                    guard let values = hooks.scope?.values, values.indices.contains(index) else {
                        return sqlite3_result_error(context, "the statement runs outside of its scope", -1)
                    }
                    values[index].setResult(of: context!)
                }, nil, nil, nil))
        hooks.restriction?.note(function: ScopeRestriction.function, isInnocuous: true)
    }
}

extension DatabaseError {
    static func outsideOfScope(_ sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message:
                "a statement can't run outside of the scope that it was prepared in, or in one it was not prepared in",
            sql: sql)
    }
}
