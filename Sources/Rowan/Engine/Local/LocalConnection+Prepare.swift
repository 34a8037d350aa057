// Compiles statements from texts.

import RowanSQLText
import RowanSQLite

extension LocalConnection {
    /// Compiles the first statement of a text and records its effects.
    ///
    /// - Parameter isTerminated: whether the last byte is a NUL, which saves SQLite a copy of the text.
    /// - Returns: the statement, or nil if the text contains only whitespace and comments, and the length of its text.
    func compile(
        _ text: UnsafeBufferPointer<UInt8>, isTerminated: Bool = false, flags: CUnsignedInt = 0
    ) throws -> (statement: Statement?, length: Int) {
        if let scope = hooks?.scope {
            let text = isTerminated ? UnsafeBufferPointer(rebasing: text.dropLast()) : text
            return try compile(text, flags: flags, in: scope)
        }
        return try compileText(text, isTerminated: isTerminated, flags: flags)
    }

    /// - Parameter source: the text that the program has written, if SQLite compiles another one.
    func compileText(
        _ text: UnsafeBufferPointer<UInt8>, isTerminated: Bool = false, flags: CUnsignedInt, source: String? = nil
    ) throws -> (statement: Statement?, length: Int) {
        guard let budget else { return try compileAny(text, isTerminated: isTerminated, flags: flags, source: source) }
        try budget.check(text)
        return try budget.compiling { try compileAny(text, isTerminated: isTerminated, flags: flags, source: source) }
    }

    private func compileAny(
        _ text: UnsafeBufferPointer<UInt8>, isTerminated: Bool, flags: CUnsignedInt, source: String?
    ) throws -> (statement: Statement?, length: Int) {
        let connection = try openPointer()
        let hooks = try openHooks()
        guard let start = text.baseAddress else { return (nil, 0) }
        if !refusedDefinitions.isEmpty { retryDefinitions() }
        let epoch = schemaEpoch
        var pointer: SQLiteStatement?
        var tail: UnsafePointer<CChar>?
        func prepare(refusingPragmas: Bool) -> (result: CInt, profile: StatementProfile) {
            hooks.recordingProfile(refusingPragmas: refusingPragmas) {
                start.withMemoryRebound(to: CChar.self, capacity: text.count) { characters in
                    sqlite3_prepare_v3(
                        connection, characters, isTerminated ? -1 : CInt(text.count), flags, &pointer, &tail)
                }
            }
        }
        let end = isTerminated ? text.count - 1 : text.count
        func sql(_ length: Int) -> String {
            if let source { return source }
            return String(decoding: SQLBytes.trimmed(UnsafeBufferPointer(rebasing: text[..<length])), as: UTF8.self)
        }
        let refusesPragmas = readOnlyDepth > 0 || isInStep || remote != nil
        var (code, profile) = prepare(refusingPragmas: refusesPragmas)
        code = waitingForSharedCache(code) {
            let code: CInt
            (code, profile) = prepare(refusingPragmas: refusesPragmas)
            return code
        }
        var keptPragma: String?
        if code == SQLITE_AUTH, let pragma = profile.settingPragma {
            if isInStep, profile.changesSchema { throw DatabaseError.schemaChangeInStep(sql: sql(end)) }
            try remote?.check(profile, sql(end))
            if readOnlyDepth > 0 { keptPragma = try settingBack(pragma) }
            (code, profile) = prepare(refusingPragmas: false)
        }
        if code == SQLITE_ERROR, let remote {
            let failure = error(code, sql: sql(end))
            guard try remote.refresh() else { throw explained(failure) }
            (code, profile) = prepare(refusingPragmas: readOnlyDepth > 0)
        }
        // After an error, SQLite's end position is not at the end of the statement.
        guard code == SQLITE_OK else {
            throw (code == SQLITE_INTERRUPT ? budget?.error(sql: sql(end)) : nil)
                ?? explained(error(code, sql: sql(end)))
        }
        let length = tail.map { Swift.min(UnsafeRawPointer($0) - UnsafeRawPointer(start), end) } ?? end
        guard let pointer else { return (nil, length) }
        profile.findSchemas(in: connection, findsViews: hooks.scope == nil)
        do { try completeReads(of: &profile, UnsafeBufferPointer(rebasing: text[..<length]), sql(length)) } catch {
            sqlite3_finalize(pointer)
            throw error
        }
        collectedProfile?.formUnion(profile)
        let own = sql(length)
        if !refusedDefinitions.isEmpty { try checkDefinitions(of: profile, own) }
        let statement =
            if let remote { try remote.makeStatement(pointer, own, profile, epoch: epoch) } else {
                Statement(connection: self, pointer: pointer, sql: own, profile: profile, epoch: epoch)
            }
        // A statement that writes is rejected when it runs.
        if let keptPragma, statement.traits.contains(.isAllowedInReads) { pragmasToRestore.append(keptPragma) }
        return (statement, length)
    }

    /// Adds what SQLite does not report.
    ///
    /// - Throws: SQLITE_AUTH if untrusted SQL must not read it.
    private func completeReads(
        of profile: inout StatementProfile, _ text: UnsafeBufferPointer<UInt8>, _ sql: @autoclosure () -> String
    ) throws {
        guard try joinsByName(text, profile) else { return }
        let names = try asking { try profile.findJoinedTables(in: text, $0, openPointer()) }
        try hooks?.restriction?.check(readNames: names, sql())
    }

    /// Whether a statement may join tables by the names of their columns: see `findJoinedTables`.
    private func joinsByName(_ text: UnsafeBufferPointer<UInt8>, _ profile: StatementProfile) throws -> Bool {
        guard profile.schemaChanges.isEmpty else { return false }
        if SQLBytes.joinsByName(text) { return true }
        guard profile.own.usesViews else { return false }
        let hooks = try openHooks()
        if let known = hooks.viewsJoinByName, known.epoch == schemaEpoch { return known.value }
        let value = try asking { try StatementProfile.hasViewsThatJoinByName($0, openPointer()) }
        hooks.viewsJoinByName = (value, schemaEpoch)
        return value
    }

    /// Runs questions about the schemas, which the program doesn't see.
    private func asking<T>(_ body: (_ schemas: [String]) throws -> T) throws -> T {
        try unrestricted { try unwatched { try openHooks().silently { try body(schemaNames()) } } }
    }

    /// Runs the closure and returns the effects of all statements that it compiles. Statements compiled before are not
    /// included: release them first.
    package func collectingProfiles(_ body: () throws -> Void) rethrows -> StatementProfile {
        let outer = collectedProfile
        collectedProfile = StatementProfile()
        defer {
            let own = collectedProfile
            collectedProfile = outer
            if let own { collectedProfile?.formUnion(own) }
        }
        try body()
        return collectedProfile ?? StatementProfile()
    }

    /// Compiles a text that contains exactly one statement.
    ///
    /// - Parameter isKept: whether the statement will run many times.
    package func prepare(_ sql: String, isKept: Bool = false) throws -> Statement {
        return try sql.withBytes {
            try prepare(utf8: $0, flags: isKept ? CUnsignedInt(SQLITE_PREPARE_PERSISTENT) : 0)
        }
    }

    /// Compiles a text that contains exactly one statement. Its names need not be valid UTF-8.
    package func prepare(utf8 text: UnsafeBufferPointer<UInt8>, flags: CUnsignedInt = 0) throws -> Statement {
        try SQLBytes.check(text)
        let (statement, length) = try compile(text, flags: flags)
        guard let statement else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR, message: "empty statement", sql: String(decoding: text, as: UTF8.self))
        }
        guard SQLBytes.areBlank(UnsafeBufferPointer(rebasing: text[length...])) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "multiple statements found. To execute several statements, use "
                    + "Database.execute(sql:) or Database.allStatements(sql:)",
                sql: String(decoding: text, as: UTF8.self))
        }
        return statement
    }
}
