// How a connection is restricted to what untrusted SQL may do.

import RowanPlatform
import RowanSQLite

extension LocalConnection {
    /// Restricts the statements that are compiled from now on, and their costs. The schema has been read.
    ///
    /// - Parameter hasUsedTables: whether tables of modules may have been used. They keep their modules until the schema
    ///   is read again.
    func restrict(_ restriction: SQLRestriction, hasUsedTables: Bool) throws {
        guard let budget else { return }
        let (pointer, hooks) = (try openPointer(), try openHooks())
        if hooks.moduleRestriction == nil { dropModules(pointer, SQLRestriction.modules) }
        if hasUsedTables {
            runUnchecked("PRAGMA writable_schema = RESET")
            schemaDidMove()
            // A schema is not limited like the statements, as long as it does not change.
            try check(runUnchecked("SELECT 1 FROM sqlite_master LIMIT 1"))
        }
        for (id, limit) in budget.limits.ofCompiler { sqlite3_limit(pointer, id, CInt(clamping: limit)) }
        hooks.restriction = restriction
        budget.isEnforced = true
        // Statements of the setup that the program has kept.
        hooks.expireStatements()
        _ = hooks.onProgress { budget.mayContinue() }
        _ = hooks.onTrace(CUnsignedInt(SQLITE_TRACE_ROW)) { _, statement, _ in
            if let handle = statement.map(SQLiteStatement.init) { budget.noteRow(of: handle) }
        }
        updateWatched()
    }

    /// Runs the closure, which reads the schema.
    ///
    /// - Parameter limits: the limits of definitions; nil for those of SQLite.
    package func limitingDefinitions(_ limits: SQLLimits?, _ body: () throws -> Void) throws {
        guard let limits else { return try body() }
        let pointer = try openPointer()
        let values = [(SQLITE_LIMIT_SQL_LENGTH, limits.sqlBytes), (SQLITE_LIMIT_EXPR_DEPTH, limits.expressionDepth)]
        let old = values.map { ($0.0, sqlite3_limit(pointer, $0.0, CInt(clamping: $0.1))) }
        defer { if budget == nil { for (id, limit) in old { sqlite3_limit(pointer, id, limit) } } }
        try body()
    }

    /// Restricts the virtual tables of an untrusted file. Nothing has been read from it.
    package func restrictModules(_ restriction: SQLRestriction) throws {
        dropModules(try openPointer(), SQLRestriction.modulesOfFiles)
        try openHooks().moduleRestriction = restriction
        updateWatched()
    }

    /// Removes the modules that reveal more than the file: a file may define tables of any module, with any names.
    private func dropModules(_ pointer: SQLiteConnection, _ modules: Set<String>) {
        let kept = (Array(modules) + moduleSafety.keys).map { strdup($0) }
        defer { for name in kept { free(name) } }
        var names = kept.map { UnsafePointer($0) } + [nil]
        sqlite3_drop_modules(pointer, &names)
    }

    private var recordsSafety: Bool { budget != nil || hooks?.moduleRestriction != nil }

    /// Records that a function of the program has been added.
    func note(function: String, isInnocuous: Bool) {
        // Scopes rely on functions of SQLite, which the new one may replace.
        if hooks?.hasScopes == true { schemaDidMove() }
        guard recordsSafety else { return }
        // SQLite distinguishes functions by their arguments, too, but does not report them.
        functionSafety[function] = isInnocuous && functionSafety[function] != false
        for restriction in [hooks?.restriction, hooks?.moduleRestriction] {
            restriction?.note(function: function, isInnocuous: functionSafety[function] ?? false)
        }
    }

    /// Records that a collection has been added.
    func note(collection: String, isInnocuous: Bool) {
        guard recordsSafety else { return }
        moduleSafety[collection] = isInnocuous
        for restriction in [hooks?.restriction, hooks?.moduleRestriction] {
            restriction?.note(module: collection, isInnocuous: isInnocuous)
        }
    }

    /// Runs the closure, which runs statements of Rowan that neither untrusted SQL nor a scope could run. With untrusted
    /// SQL, they must not be pooled.
    package func unrestricted<T>(_ body: () throws -> T) rethrows -> T {
        try withoutScope {
            guard let hooks, let restriction = hooks.restriction else { return try body() }
            hooks.restriction = nil
            defer { hooks.restriction = restriction }
            return try body()
        }
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
            // Threads of a sort would write temporary files at the same time.
            (SQLITE_LIMIT_WORKER_THREADS, 0),
        ]
    }
}
