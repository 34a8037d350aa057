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

    /// Runs the closure while temporary triggers check the rows that a scope writes. If the closure's transaction is
    /// rolled back, they may be removed: nothing more can be written then.
    package func checkingRows<T>(of scope: ScopeRestriction, _ body: () throws -> T) throws -> T {
        let isKept = try openHooks().keptTriggers.contains { $0.scope == scope.number }
        defer { if !isKept { drop(triggers: scope.triggerNames) } }
        if !isKept { try createTriggers(of: scope) }
        scope.needsTransaction = isInsideTransaction
        return try body()
    }

    /// Makes the triggers of a scope, which remain until `dropTriggersOfScopes`, because SQLite then compiles all
    /// statements again. No transaction is open, so that no rollback can undo this.
    package func keepTriggers(of scope: ScopeRestriction) throws {
        let hooks = try openHooks()
        guard !hooks.keptTriggers.contains(where: { $0.scope == scope.number }) else { return }
        // Each trigger costs time for each row, and one of an outdated scope may be invalid.
        if hooks.keptTriggers.count == 4 || hooks.keptTriggers.contains(where: { $0.epoch != scope.epoch }) {
            dropTriggersOfScopes()
        }
        hooks.keptTriggers.append((scope.number, scope.epoch, scope.triggerNames))
        do { try createTriggers(of: scope) } catch {
            dropTriggersOfScopes()
            throw error
        }
    }

    /// Removes the triggers of scopes, before an access without a scope writes.
    package func dropTriggersOfScopes() {
        guard let hooks, !hooks.keptTriggers.isEmpty else { return }
        if drop(triggers: hooks.keptTriggers.flatMap(\.names)) { hooks.keptTriggers = [] }
    }

    /// Whether a trigger is one that remains between accesses.
    package func isTriggerOfScope(_ name: String) -> Bool {
        hooks.map { !$0.keptTriggers.isEmpty && name.hasPrefix($0.scopeSecret) } ?? false
    }

    private func createTriggers(of scope: ScopeRestriction) throws {
        try runSilently(scope.triggers(checksReferences: isOn(.foreignKeys)).map(\.sql))
    }

    /// - Returns: whether no trigger remains. One that does has no effect outside of its scope.
    @discardableResult
    private func drop(triggers names: [String]) -> Bool {
        let result = Result { try runSilently(names.map { "DROP TRIGGER IF EXISTS temp.\($0)" }) }
        return if case .success = result { true } else { false }
    }

    private func runSilently(_ statements: [String]) throws {
        guard !statements.isEmpty else { return }
        try shielded {
            try unrestricted {
                try openHooks().silently { for sql in statements { try check(runUnchecked(sql)) } }
                // So that these changes are not taken for those of other connections.
                noteSchemaVersions()
            }
        }
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
        try scope.check(source)
        func compiled(isFenced: Bool) throws -> (result: Statement?, findings: ScopeRestriction.Findings) {
            let sql = source.version(
                commonTables: scope.commonTables(for: source, isFenced: isFenced),
                condition: scope.condition(of: source), isFenced: isFenced)
            return try scope.compiling(source) {
                do {
                    return try sql.withBytes { try compileText($0, flags: flags, source: source.sql).statement }
                } catch let error as DatabaseError where scope.isSecret(error.message ?? "") {
                    // SQLite has named a common table of the scope.
                    throw DatabaseError(resultCode: error.resultCode, message: "invalid statement", sql: source.sql)
                }
            }
        }
        // Where values are limited, reading a longer one fails.
        let isFenced = source.mayFail || budget != nil
        var (statement, findings) = try compiled(isFenced: isFenced)
        if findings.mayFail, !isFenced { (statement, findings) = try compiled(isFenced: true) }
        // PRAGMA full_column_names
        if let statement, statement.columnNames.contains(where: scope.isSecret) {
            throw source.refusal(
                "in a scope, a column can't have the name of its table: set no PRAGMA full_column_names")
        }
        return (statement, source.length)
    }

    /// Adds the function that returns the values of scopes, and whether a scope is the current one.
    package func addScopeFunction() throws {
        let hooks = try openHooks()
        hooks.hasScopes = true
        // Invariant: SQLite calls functions only while the connection is open, which keeps its hooks.
        try check(
            sqlite3_create_function_v2(
                openPointer(), ScopeRestriction.function, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                Unmanaged.passUnretained(hooks).toOpaque(),
                { context, _, arguments in
                    let hooks = Unmanaged<ConnectionHooks>.fromOpaque(sqlite3_user_data(context)!)
                        .takeUnretainedValue()
                    let index = Int(sqlite3_value_int64(arguments![0]))
                    // Whether the trigger with this number belongs to the scope.
                    if index < 0 { return sqlite3_result_int(context, hooks.scope?.number == -index ? 1 : 0) }
                    guard let values = hooks.scope?.values, values.indices.contains(index) else {
                        return sqlite3_result_error(context, "the statement runs outside of its scope", -1)
                    }
                    values[index].setResult(of: context!)
                }, nil, nil, nil))
        for restriction in [hooks.restriction, hooks.moduleRestriction] {
            restriction?.note(function: ScopeRestriction.function, isInnocuous: true)
        }
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
