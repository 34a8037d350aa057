// How far a connection trusts the file that it opens, and the SQL that it runs.
// Source: https://sqlite.org/security.html

import RowanPlatform
import Synchronization

/// The trust in a database file and in SQL. By default, a connection trusts both.
///
/// ```swift
/// // A file that a user has uploaded:
/// configuration.trust = .untrustedFile
/// // SQL that a user has written:
/// configuration.trust = .untrustedSQL(SQLLimits())
/// // Both:
/// configuration.trust = [.untrustedFile, .untrustedSQL(SQLLimits())]
/// ```
///
/// Article: <doc:StrangersDatabases>.
public struct DatabaseTrust: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// Whether the file may have been made by a stranger.
    package private(set) var distrustsFile = false
    /// The limits of statements that a stranger may have written.
    package private(set) var limits: SQLLimits?

    /// The file and the SQL are the program's own.
    public static let trusted: DatabaseTrust = []

    /// The file may have been made to attack the program.
    ///
    /// A database contains code: views, triggers, generated columns, checks, defaults and indexes are SQL, which runs in
    /// the program's statements. With this profile, it can call only functions that are declared as innocuous, and read
    /// only such virtual tables. SQL can't write to the schema table or to the tables behind virtual ones, SQLite checks
    /// the cells of each page that it reads, no page is mapped into memory, texts in double quotes are not strings, and
    /// no extension can be loaded.
    ///
    /// It does not limit how long a statement runs: a view or a trigger may never end. Add
    /// ``untrustedSQL(_:)`` for limits. See also ``Configuration/checksFileOnOpen``.
    public static let untrustedFile: DatabaseTrust = {
        var trust = DatabaseTrust.trusted
        trust.distrustsFile = true
        return trust
    }()

    /// The SQL may have been written to attack the program.
    ///
    /// All SQL of the connection, including that of requests and records, is restricted after
    /// ``Configuration/prepareDatabase(_:)``. Statements can't attach databases or run VACUUM, change temporary tables, run
    /// pragmas that change a state, call functions of the program that are not declared as innocuous, or use virtual
    /// tables of modules other than SQLite's own. A refused statement throws a ``DatabaseError`` with the code
    /// SQLITE_AUTH, whose message names what was refused.
    ///
    /// The schema is not trusted either, because such SQL may have changed it: its functions and virtual tables are those
    /// of ``untrustedFile``, and SQLite's error for others is SQLITE_ERROR. The tables behind virtual ones can't be written.
    ///
    /// The text can still write to the database: open it with ``Configuration/readonly``, or read from it, if it must not.
    public static func untrustedSQL(_ limits: SQLLimits) -> DatabaseTrust {
        var trust = DatabaseTrust.trusted
        trust.limits = limits
        return trust
    }

    /// Combines profiles. Of several limits, the last ones count.
    public init(arrayLiteral profiles: DatabaseTrust...) {
        for profile in profiles {
            distrustsFile = distrustsFile || profile.distrustsFile
            limits = profile.limits ?? limits
        }
    }
}

extension Database {
    /// Protects the connection against its file, before anything is read from it.
    func distrustFile() throws {
        guard configuration.trust.distrustsFile else { return }
        try checkJournal()
        try distrustSchema()
        try connection.set(.doubleQuotedStringsInQueries, false)
        try connection.set(.doubleQuotedStringsInDefinitions, false)
        for pragma in ["cell_size_check = 1", "mmap_size = 0"] { try makeStatement(sql: "PRAGMA \(pragma)").runToEnd() }
        try connection.restrictModules(SQLRestriction(.ofPlainConnections(), functions: [], modules: []))
    }

    /// A journal can end with the name of another one, which SQLite deletes after it has restored the file.
    /// <https://sqlite.org/fileformat2.html#the_rollback_journal>
    private func checkJournal() throws {
        guard let path = connection.mainFileName, !path.isEmpty else { return }
        guard namesAnotherJournal("\(path)-journal") else { return }
        throw DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "\(path)-journal names another file, which SQLite would delete: don't accept journals with uploads"
        )
    }

    private func distrustSchema() throws {
        try connection.set(.trustedSchema, false)
        try connection.set(.defensive, true)
        try connection.set(.fts3Tokenizers, false)
    }

    /// Runs the closure, which reads the schema for the first time. In an untrusted file, that may be endless, and its
    /// definitions may need more stack than there is.
    ///
    /// - Throws: SQLITE_INTERRUPT if the schema can't be read in time.
    func readingUntrustedSchema(_ body: () throws -> Void) throws {
        guard configuration.trust != .trusted else { return try body() }
        // A limit for statements may be less than what a busy machine needs for a large schema.
        let limit = max(
            configuration.checksFileOnOpen ?? configuration.trust.limits?.time ?? SQLLimits().time, .seconds(1))
        let deadline = ContinuousClock.now + limit
        var isLate = false
        do {
            try connection.limitingDefinitions(configuration.trust.distrustsFile ? SQLLimits() : nil) {
                try connection.interrupting {
                    isLate = isLate || ContinuousClock.now > deadline
                    return isLate
                } _: {
                    try body()
                    try checkDefinitions()
                }
            }
        } catch let error as DatabaseError where isLate && error.resultCode == .SQLITE_INTERRUPT {
            guard error.message == nil || error.message == "interrupted" else { throw error }
            throw DatabaseError(
                resultCode: .SQLITE_INTERRUPT, message: "reading the schema took longer than \(limit) - \(path)")
        }
    }

    /// - Throws: SQLITE_CORRUPT for a definition that exhausts the stack when it is compiled.
    private func checkDefinitions() throws {
        // All of them: LIKE can be redefined by a pragma or by the program, and the column `type` is the stranger's, too.
        let sql = """
            SELECT coalesce(CAST(name AS TEXT), ''), CAST(sql AS TEXT) FROM main.sqlite_master WHERE sql IS NOT NULL
            """
        let rows = try connection.unrestricted { try Row.rows(of: makeStatement(sql: sql), []) }
        var queryCount = 0
        for row in rows {
            let (name, definition): (String, String) = (row[0], row[1])
            func refusal(_ reason: String) -> DatabaseError {
                DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(reason) - \(path)")
            }
            guard
                definition.withBytes({
                    SQLRestriction.longValues($0, SQLLimits().compoundSelects, isDefinition: true)
                }) == nil
            else { throw refusal("the definition of \(name) has a VALUES with a window function and many rows") }
            queryCount += definition.withBytes(SQLRestriction.queryCount)
            guard queryCount <= SQLRestriction.maximumQueryCount else {
                throw refusal("the definitions contain more than \(SQLRestriction.maximumQueryCount) queries")
            }
        }
    }

    /// Restricts the SQL of the connection, after its setup.
    func distrustSQL() throws {
        guard configuration.trust.limits != nil else { return }
        // The authorizer is not asked about defaults, nor about what is parsed while the schema is read.
        try distrustSchema()
        // An extension adds functions and modules without a report.
        let hasExtensions = connection.hasLoadedExtensions
        let functions = connection.functionSafety.map { (name: $0.key, isInnocuous: $0.value) }
        let modules = connection.moduleSafety.map { (name: $0.key, isInnocuous: $0.value) }
        let known = try hasExtensions ? knownToSQLite() : SQLRestriction.Known.ofPlainConnections()
        // Without these, Rowan has only read the schema.
        try connection.restrict(
            SQLRestriction(known, functions: functions, modules: modules),
            hasUsedTables: hasExtensions || !configuration.setups.isEmpty || configuration.checksFileOnOpen != nil)
        // Statements that are already compiled were not checked.
        releaseStatements()
    }

    /// The functions and modules of this connection.
    fileprivate func knownToSQLite() throws -> SQLRestriction.Known {
        let sql = "SELECT name, min(builtin OR flags & 0x200000) FROM pragma_function_list GROUP BY name"
        return SQLRestriction.Known(
            functions: try Row.rows(of: makeStatement(sql: sql), []).map { ($0[0], $0[1]) },
            modules: try Row.rows(of: makeStatement(sql: "PRAGMA module_list"), []).map { $0[0] })
    }

    /// The first problem of the file, or "ok".
    ///
    /// SQLite follows the pages of a tree one inside the other, and those of a damaged file may form a chain.
    private func quickCheck() throws -> String? {
        let pageCount = try Int.fetchOne(makeStatement(sql: "PRAGMA main.page_count")) ?? 0
        let statement = try makeStatement(sql: "PRAGMA main.quick_check(1)")
        // The connection belongs to the other thread for this time.
        defer { connection.ownerThread.store(currentThreadID, ordering: .relaxed) }
        // Twice what SQLite 3.40 needs. A system with little memory refuses the stack for a large file, which rarely needs it.
        var byteCount = (1 << 20) + 512 * pageCount
        while byteCount > 1 << 19 {
            if let result = try withStack(
                byteCount: byteCount, { try withAccess { _ in try String.fetchOne(statement) } })
            {
                return result
            }
            byteCount /= 2
        }
        throw DatabaseError(resultCode: .SQLITE_NOMEM, message: "the check of the file has no memory - \(path)")
    }

    /// Checks the file, if the configuration asks for it.
    ///
    /// - Throws: SQLITE_CORRUPT with the first problem; SQLITE_INTERRUPT if the check takes too long.
    func checkFile() throws {
        guard let limit = configuration.checksFileOnOpen else { return }
        let deadline = ContinuousClock.now + limit
        var isLate = false
        // The checks of the tables are code of the file, which may take any time.
        let ignoresChecks = try Int.fetchOne(makeStatement(sql: "PRAGMA ignore_check_constraints")) ?? 0
        try makeStatement(sql: "PRAGMA ignore_check_constraints = 1").runToEnd()
        defer { connection.runUnchecked("PRAGMA ignore_check_constraints = \(ignoresChecks)") }
        do {
            let result = try connection.interrupting {
                isLate = isLate || ContinuousClock.now > deadline
                return isLate
            } _: {
                try quickCheck()
            }
            guard let result, result != "ok" else { return }
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the file is damaged: \(result) - \(path)")
        } catch let error as DatabaseError where isLate && error.resultCode == .SQLITE_INTERRUPT {
            throw DatabaseError(
                resultCode: .SQLITE_INTERRUPT,
                message:
                    "the check of the file took longer than \(limit): raise Configuration.checksFileOnOpen - \(path)")
        }
    }
}

/// Whether a journal ends with the name of another one.
private func namesAnotherJournal(_ path: String) -> Bool {
    let journal = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard journal >= 0 else { return false }
    defer { close(journal) }
    let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    var last = [UInt8](repeating: 0, count: mark.count)
    let place = lseek(journal, -off_t(mark.count), SEEK_END)
    return place > 0 && pread(journal, &last, last.count, place) == last.count && last == mark
}

extension SQLRestriction.Known {
    private static let known = Mutex<SQLRestriction.Known?>(nil)

    /// What a connection has that only the program's Swift code has added to. It is read once, because the lists take as long as
    /// opening several connections (benchmark untrusted-open).
    fileprivate static func ofPlainConnections() throws -> SQLRestriction.Known {
        try known.withLock { known in
            if let known { return known }
            let db = try Database(path: ":memory:", configuration: Configuration())
            defer { db.connection.closeEventually() }
            let read = try db.withAccess { try $0.knownToSQLite() }
            known = read
            return read
        }
    }
}
