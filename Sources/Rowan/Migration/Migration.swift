// A migration and its transaction. The migration and its identifier are committed together: a killed process leaves
// both or neither.

struct Migration: Sendable {
    /// When foreign keys are checked.
    enum Checks: Sendable {
        case deferred, immediate, changedTables, none

        /// Whether foreign keys are not enforced while the migration runs.
        var isDisablingForeignKeys: Bool { self != .immediate }
    }

    typealias Body = @Sendable (Database, Set<String>) throws -> Void

    let identifier: String
    let mergedIdentifiers: Set<String>
    let checks: Checks
    /// The checksum of a migration in SQL.
    let checksum: String?
    let body: Body

    init(
        _ identifier: String, _ checks: Checks, merging mergedIdentifiers: Set<String> = [], checksum: String? = nil,
        _ body: @escaping Body
    ) {
        self.identifier = identifier
        self.mergedIdentifiers = mergedIdentifiers
        self.checks = checks
        self.checksum = checksum
        self.body = body
    }

    /// Runs the migration, unless another connection has run it in the meantime.
    ///
    /// - Parameters:
    ///   - enforcement: the enforcement of foreign keys, which the migration may suspend.
    ///   - willRun: called when the transaction holds the lock, before any change.
    /// - Throws: the error of the migration, after a rollback. Its hint names the migration.
    func run(
        _ db: Database, _ enforcement: inout ForeignKeyEnforcement, willRun: () throws -> Void = {}
    ) throws {
        try enforcement.suspend(checks.isDisablingForeignKeys, db)
        do {
            guard enforcement.isSuspended else { return try inTransaction(db, check: { try $0() }, willRun) }
            try inTransaction(db, check: { try checkForeignKeys(db, after: $0) }, willRun)
        } catch let error as DatabaseError {
            throw error.inMigration(identifier)
        }
    }

    private func inTransaction(
        _ db: Database, check: (() throws -> Void) throws -> Void, _ willRun: () throws -> Void
    ) throws {
        try db.inTransaction(.immediate) {
            guard try !AppliedMigrations.has(self, db) else {
                try AppliedMigrations.refuseEdited([self], db)
                return .commit
            }
            try willRun()
            let merged =
                mergedIdentifiers.isEmpty ? [] : try AppliedMigrations(db).identifiers.intersection(mergedIdentifiers)
            let transaction = db.connection.transaction.number
            try check { try runBody(db, merged) }
            // A trigger, or C code of the program, may have ended it.
            guard db.connection.transaction.number == transaction else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message:
                        "the migration \"\(identifier)\" has ended its transaction, and is not recorded: remove the "
                        + "statement, because each migration already runs in a transaction")
            }
            try AppliedMigrations.record(self, db)
            return .commit
        }
    }

    /// Runs the body, which must not end the transaction.
    private func runBody(_ db: Database, _ merged: Set<String>) throws {
        db.connection.transactionKeeper = .migration(identifier)
        defer { db.connection.transactionKeeper = nil }
        try body(db, merged)
    }

    /// Runs the body and checks foreign keys.
    private func checkForeignKeys(_ db: Database, after body: () throws -> Void) throws {
        switch checks {
        case .immediate, .none: try body()
        case .deferred:
            try body()
            try db.checkForeignKeys()
        case .changedTables: try db.checkForeignKeysOfChangedTables(body)
        }
    }
}

/// The enforcement of foreign keys while migrations run. It can change only outside transactions, and each change makes
/// SQLite recompile all statements, so it stays suspended from one migration to the next.
struct ForeignKeyEnforcement {
    /// Whether the connection enforces foreign keys when no migration runs.
    private let isEnabled: Bool
    private(set) var isSuspended = false

    /// Runs migrations, then restores the enforcement.
    static func duringMigrations<T>(_ db: Database, _ run: (inout Self) throws -> T) throws -> T {
        var enforcement = Self(isEnabled: try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false)
        defer { if enforcement.isSuspended { db.connection.restore(.foreignKeys, true) } }
        return try run(&enforcement)
    }

    private init(isEnabled: Bool) { self.isEnabled = isEnabled }

    fileprivate mutating func suspend(_ suspends: Bool, _ db: Database) throws {
        guard isEnabled, suspends != isSuspended else { return }
        try db.connection.set(.foreignKeys, !suspends)
        isSuspended = suspends
    }
}
