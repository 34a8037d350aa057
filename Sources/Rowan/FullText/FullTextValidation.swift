// The validation of full-text patterns: SQLite runs them on a table without rows.

/// The validation of patterns by SQLite. It keeps its connection because a query may decode a pattern from each of its
/// rows.
final class FullTextValidation: Sendable {
    private let queue = Mutex<DatabaseQueue?>(nil)
    private let table: String
    private let create: @Sendable (Database) throws -> Void

    init<Module: VirtualTableModule & Sendable>(
        using module: Module, table: String = "document", _ body: @escaping @Sendable (Module.TableDefinition) -> Void
    ) {
        self.table = table
        create = { db in try db.create(virtualTable: table, using: module) { body($0) } }
    }

    /// - Throws: an error of SQLite, without the SQL of the validation.
    func check(_ rawPattern: String) throws {
        do {
            try connection().inDatabase { db in
                let name = table.quotedDatabaseIdentifier
                let sql = "SELECT rowid FROM \(name) WHERE \(name) MATCH ?"
                _ = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [rawPattern])
            }
        } catch let error as DatabaseError {
            throw error.with(sql: nil)
        }
    }

    private func connection() throws -> DatabaseQueue {
        try queue.withLock { known in
            if let known { return known }
            let queue = try DatabaseQueue()
            try queue.inDatabase(create)
            known = queue
            return queue
        }
    }
}
