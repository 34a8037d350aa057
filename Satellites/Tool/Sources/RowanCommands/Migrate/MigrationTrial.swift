// Pending migrations on a copy of the database: their statements, and what happens to schema and rows.

import Foundation
import Rowan
import RowanSQLite

struct MigrationTrial: Sendable {
    let preview: MigrationPreview
    /// The rows of each table, before and after; nil without the table.
    private(set) var counts: [(table: String, before: Int?, after: Int?)] = []

    init(_ migrator: DatabaseMigrator, _ path: String) throws {
        let migrator = MigrationRecords.quietly(migrator)
        // The migrations run on copies: what they attach would be changed.
        let prepare: @Sendable (Database) throws -> Void = { db in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_ATTACHED, 0)
        }
        let source = try DatabaseFile.open(path, isReadOnly: true, prepare: prepare)
        preview = try migrator.preview(source)
        // The preview keeps no copy.
        var configuration = Configuration()
        configuration.prepareDatabase(prepare)
        let copy = try DatabaseQueue(path: "", configuration: configuration)
        try source.backup(to: copy)
        let before = try copy.read { try Self.rowCounts($0) }
        try migrator.migrate(copy)
        let after = try copy.read { try Self.rowCounts($0) }
        for table in Set(before.keys).union(after.keys).sorted() { counts.append((table, before[table], after[table])) }
    }

    private static func rowCounts(_ db: Database) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in try db.tables(in: "main").map(\.name)
        where !MigrationRecords.tables.contains(table) && !table.hasPrefix("sqlite_") {
            counts[table] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedIdentifier)")
        }
        return counts
    }

    /// The tables that remain and lose rows, although no statement deletes from them.
    ///
    /// A rebuilt table loses rows if the copy leaves some out, and rows that refer to a dropped one are deleted with it.
    var silentLosses: [(table: String, before: Int, after: Int)] {
        let statements = preview.steps.flatMap(\.statements).map { $0.uppercased() }
        return counts.compactMap { table, before, after in
            guard let before, let after, after < before else { return nil }
            let isDeleted = statements.contains { statement in
                statement.hasPrefix("DELETE FROM")
                    && statement.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).dropFirst(2).first
                        .map(String.init) == table.uppercased()
            }
            return isDeleted ? nil : (table, before, after)
        }
    }
}
