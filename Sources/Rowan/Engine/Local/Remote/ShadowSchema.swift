// Builds the schema of a remote database, without rows, in an in-memory database.

import RowanSQLite

struct ShadowSchema {
    private let connection: LocalConnection

    init(_ connection: LocalConnection) { self.connection = connection }

    /// Removes all objects and creates new ones.
    func replace(with schema: RemoteSchema) throws {
        let code = try connection.with(.resetDatabase, true) { connection.runUnchecked("VACUUM") }
        // VACUUM fails with SQLITE_ERROR while a statement runs.
        let error =
            switch code {
            case SQLITE_OK: nil as DatabaseError?
            case SQLITE_ERROR: failure("can't be read anew while cursors are open: release them")
            default: failure("can't be read by this program: \(message)")
            }
        if let error { throw error }
        for object in inOrder(schema.objects) { try create(object) }
        if schema.objects.contains(where: { $0.name.foldedDatabaseName.hasPrefix("sqlite_stat") }) {
            try run("ANALYZE")
        }
        try run("PRAGMA schema_version = \(schema.version)")
    }

    /// Tables come first, and virtual tables before the tables that they create to store their rows.
    private func inOrder(_ objects: [RemoteSchema.Object]) -> [RemoteSchema.Object] {
        func isVirtual(_ object: RemoteSchema.Object) -> Bool {
            object.type == "table"
                && SQLTokens.first(2, of: object.sql ?? "").last == .word("virtual")
        }
        let virtual = objects.filter(isVirtual)
        let prefixes = virtual.map { "\($0.name.foldedDatabaseName)_" }
        func belongsToVirtual(_ object: RemoteSchema.Object) -> Bool {
            prefixes.contains { object.table.foldedDatabaseName.hasPrefix($0) }
        }
        let tables = objects.filter { $0.type == "table" && !isVirtual($0) }
        let others = ["index", "view", "trigger"].flatMap { type in objects.filter { $0.type == type } }
        return tables.filter { !belongsToVirtual($0) } + virtual + tables.filter(belongsToVirtual) + others
    }

    private func create(_ object: RemoteSchema.Object) throws {
        // SQLite creates tables and indexes without SQL itself.
        guard let sql = object.sql, !object.name.foldedDatabaseName.hasPrefix("sqlite_") else { return }
        let definition = try SQLDefinition(sql, type: object.type, name: object.name)
        guard connection.runUnchecked(definition.sql) != SQLITE_OK else { return }
        // A virtual table has already created it.
        if object.type != "view", object.type != "trigger", try exists(object.name) { return }
        throw failure("can't be read by this program: \(message) in \(sql)")
    }

    private func exists(_ name: String) throws -> Bool {
        var statement: SQLiteStatement?
        defer { sqlite3_finalize(statement) }
        let sql = "SELECT 1 FROM sqlite_schema WHERE name = \(name.databaseValue.sqlLiteral) COLLATE NOCASE"
        guard sqlite3_prepare_v2(connection.pointer, sql, -1, &statement, nil) == SQLITE_OK else { return false }
        return sqlite3_step(statement) == SQLITE_ROW
    }

    private func run(_ sql: String) throws {
        guard connection.runUnchecked(sql) != SQLITE_OK else { return }
        throw failure("can't be read by this program: \(message) in \(sql)")
    }

    private var message: String { connection.lastErrorMessage ?? "unknown error" }

    private func failure(_ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_SCHEMA, message: "the schema of the cluster has changed, and \(reason)")
    }
}
