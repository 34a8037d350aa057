// Compiles statements from texts, with or without a cache.

import CSQLite
import Foundation

extension LocalConnection {
    /// Compiles the first statement of a text, and records its effects.
    ///
    /// - Parameter isTerminated: whether the last byte is a NUL, which saves SQLite a copy of the text.
    /// - Returns: the statement, or nil if the text contains only blanks and comments; and the length of its text.
    func compile(
        _ text: UnsafeBufferPointer<UInt8>, isTerminated: Bool = false, flags: CUnsignedInt = 0
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
            String(decoding: SQLBytes.trimmed(UnsafeBufferPointer(rebasing: text[..<length])), as: UTF8.self)
        }
        var (code, profile) = prepare(refusingPragmas: readOnlyDepth > 0 || isInStep)
        var keptPragma: String?
        if code == SQLITE_AUTH, let pragma = profile.settingPragma {
            if isInStep, profile.changesSchema { throw DatabaseError.schemaChangeInStep(sql: sql(end)) }
            if readOnlyDepth > 0 { keptPragma = try settingBack(pragma) }
            (code, profile) = prepare(refusingPragmas: false)
        }
        // After an error, SQLite's end position is not the end of the statement.
        guard code == SQLITE_OK else { throw error(code, sql: sql(end)) }
        let length = tail.map { Swift.min(UnsafeRawPointer($0) - UnsafeRawPointer(start), end) } ?? end
        guard let pointer else { return (nil, length) }
        profile.findSchemas(in: connection)
        collectedProfile?.formUnion(profile)
        let own = sql(length)
        if !refusedDefinitions.isEmpty { try checkDefinitions(of: profile, own) }
        let statement = Statement(connection: self, pointer: pointer, sql: own, profile: profile, epoch: epoch)
        // A statement that writes is refused when it runs.
        if let keptPragma, statement.traits.contains(.isAllowedInReads) { pragmasToRestore.append(keptPragma) }
        return (statement, length)
    }

    /// Runs the closure, and returns the effects of all statements that it compiles. Statements that were compiled
    /// before are not included: release them first.
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
    package func prepare(_ sql: String, flags: CUnsignedInt = 0) throws -> Statement {
        var sql = sql
        return try sql.withUTF8 { try prepare(utf8: $0, flags: flags) }
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

    /// A statement that Rowan runs, from its cache; a fresh one if the cached statement is in use.
    ///
    /// Complexity: one lookup in a hash table if the statement is cached.
    package func cachedStatement(_ sql: String) throws -> Statement {
        var sql = sql
        return try sql.withUTF8(cachedStatement(utf8:))
    }

    /// A statement that Rowan runs, from its cache; a fresh one if the cached statement is in use.
    package func cachedStatement(utf8 text: UnsafeBufferPointer<UInt8>) throws -> Statement {
        let known = statements.value(forUTF8: text)
        if let known, known.isIdle, known.epoch == schemaEpoch { return known }
        return try compile(text, insteadOf: known) { statements.setValue($0, forKey: $1) }
    }

    /// A statement that the program requests by its SQL. Rowan never runs these statements: the program owns their
    /// arguments.
    package func cachedUserStatement(_ sql: String) throws -> Statement {
        var sql = sql
        return try sql.withUTF8 { text in
            let known = userStatements.value(forUTF8: text)
            if let known, known.isIdle, known.epoch == schemaEpoch { return known }
            return try compile(text, insteadOf: known) { userStatements.setValue($0, forKey: $1) }
        }
    }

    /// A fresh statement that replaces a cached one which is in use, and stays in the cache, or which was compiled for
    /// another schema: SQLite would detect that at the first step, too late for the columns.
    private func compile(
        _ text: UnsafeBufferPointer<UInt8>, insteadOf known: Statement?, _ keep: (Statement, String) -> Void
    ) throws -> Statement {
        if let known, !known.isIdle { return try prepare(utf8: text, flags: 0) }
        let statement = try prepare(utf8: text, flags: CUnsignedInt(SQLITE_PREPARE_PERSISTENT))
        keep(statement, String(decoding: text, as: UTF8.self))
        return statement
    }

    /// The cached statement, if there is one that can run now.
    package func knownStatement(_ sql: String) -> Statement? {
        guard let statement = statements.value(forKey: sql), statement.isIdle, statement.epoch == schemaEpoch else {
            return nil
        }
        return statement
    }
}
