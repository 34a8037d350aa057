// How a connection is restricted to what untrusted SQL may do.

import RowanSQLite

extension LocalConnection {
    /// Restricts the statements that are compiled from now on, and their costs.
    func restrict(_ restriction: SQLRestriction) throws {
        guard let budget else { return }
        let (pointer, hooks) = (try openPointer(), try openHooks())
        for (id, limit) in budget.limits.ofCompiler { sqlite3_limit(pointer, id, CInt(clamping: limit)) }
        hooks.restriction = restriction
        budget.isEnforced = true
        _ = hooks.onProgress { budget.mayContinue() }
        _ = hooks.onTrace(CUnsignedInt(SQLITE_TRACE_ROW)) { _, statement, _ in
            if let handle = statement.map(SQLiteStatement.init) { budget.noteRow(of: handle) }
        }
        updateWatched()
    }

    /// Runs the closure, which runs statements of Rowan that untrusted SQL could not run. They must not be pooled.
    package func unrestricted<T>(_ body: () throws -> T) rethrows -> T {
        guard let hooks, let restriction = hooks.restriction else { return try body() }
        hooks.restriction = nil
        defer { hooks.restriction = restriction }
        return try body()
    }
}

extension SQLLimits {
    /// The limits that SQLite checks, by their numbers. <https://sqlite.org/c3ref/c_limit_attached.html>
    fileprivate var ofCompiler: [(CInt, Int)] {
        [
            (SQLITE_LIMIT_LENGTH, valueBytes), (SQLITE_LIMIT_SQL_LENGTH, sqlBytes), (SQLITE_LIMIT_COLUMN, columns),
            (SQLITE_LIMIT_EXPR_DEPTH, expressionDepth), (SQLITE_LIMIT_COMPOUND_SELECT, compoundSelects),
            (SQLITE_LIMIT_VDBE_OP, instructions), (SQLITE_LIMIT_FUNCTION_ARG, functionArguments),
            (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, likePatternBytes),
            (SQLITE_LIMIT_VARIABLE_NUMBER, arguments), (SQLITE_LIMIT_TRIGGER_DEPTH, triggerDepth),
        ]
    }
}
