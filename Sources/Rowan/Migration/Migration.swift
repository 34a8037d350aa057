// One migration, and its transaction. The migration and its identifier are committed together: a process that is killed
// leaves both or none.

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
    /// - Parameter willRun: is called once the transaction holds the lock, before any change.
    /// - Throws: the error of the migration, after a rollback.
    func run(_ db: Database, willRun: () throws -> Void = {}) throws {
        guard checks.isDisablingForeignKeys, try db.areForeignKeysEnforced() else {
            return try inTransaction(db, check: { try $0() }, willRun)
        }
        // Outside the transaction: in it, enforcement can't change.
        try db.connection.set(.foreignKeys, false)
        let result = Result { try inTransaction(db, check: { try checkForeignKeys(db, after: $0) }, willRun) }
        try db.connection.set(.foreignKeys, true)
        try result.get()
    }

    private func inTransaction(
        _ db: Database, check: (() throws -> Void) throws -> Void, _ willRun: () throws -> Void
    ) throws {
        try db.inTransaction(.immediate) {
            let applied = try AppliedMigrations(db)
            guard !applied.contains(self) else {
                try AppliedMigrations.refuseEdited([self], db)
                return .commit
            }
            try willRun()
            let transaction = db.connection.transaction.number
            try check { try body(db, applied.identifiers.intersection(mergedIdentifiers)) }
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

    /// Runs the body, and checks foreign keys.
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

extension Database {
    fileprivate func areForeignKeysEnforced() throws -> Bool {
        try Bool.fetchOne(self, sql: "PRAGMA foreign_keys") ?? false
    }
}
