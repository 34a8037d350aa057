// A first version of a migration, from the difference of two schemas.

import Foundation
import Rowan

struct MigrationDraft {
    let text: String

    /// - Parameters:
    ///   - db: the database with the wanted schema.
    ///   - migrator: the migrations so far.
    init(_ db: Database, _ migrator: DatabaseMigrator) throws {
        let current = try DatabaseQueue(path: "")
        try MigrationRecords.quietly(migrator).migrate(current)
        text = try current.read { current in
            // What the migrations lack is what the database has in addition.
            let differences = try db.schemaDifferences(from: current)
                .filter { !MigrationRecords.tables.contains($0.object.tableName) }
            return try differences.map { try Self.statements($0, db, current) }.joined()
        }
    }

    private static func statements(_ difference: SchemaDifference, _ db: Database, _ current: Database) throws -> String
    {
        let object = difference.object
        let drop = "DROP \(object.kind.rawValue.uppercased()) \(object.name.quotedIdentifier);\n"
        switch difference {
        case .missing:
            // The indexes and triggers of a table are dropped with it.
            let goesWithTable =
                try object.kind != .table && object.kind != .view && !db.tableExists(object.tableName, in: "main")
            return goesWithTable
                ? "" : (object.kind == .table ? "-- Deletes the rows of \(object.name.onOneLine).\n" : "") + drop
        case .unexpected: return try creation(object)
        case .changed where object.kind != .table: return try drop + creation(object)
        case .changed(_, _, let details):
            return try addedColumns(object.name, details, db, current)
                ?? """
                -- The table \(object.name.onOneLine) has changed: \(details.joined(separator: ", ").onOneLine)
                -- Make a new table, copy the rows, drop the old one, and rename the new one, whose definition is:
                \((object.sql ?? "").split(separator: "\n").map { "--   \($0)" }.joined(separator: "\n"))

                """
        }
    }

    private static func creation(_ object: SchemaObject) throws -> String {
        try object.creationStatement.map { $0 + "\n" } ?? ""
    }

    /// The statements that add columns; nil if the table has changed in another way.
    private static func addedColumns(
        _ table: String, _ details: [String], _ db: Database, _ current: Database
    ) throws -> String? {
        let old = try current.columns(in: table, in: "main").map { $0.name.lowercased() }
        let new = try db.columns(in: table, in: "main").filter { !old.contains($0.name.lowercased()) }
        // Each detail is about a column that is not expected: no other column has changed.
        guard !details.isEmpty, details.count == new.count, new.allSatisfy({ $0.primaryKeyIndex == 0 }),
            new.allSatisfy({ !$0.isNotNull || $0.defaultValueSQL != nil })
        else { return nil }
        let statements = new.map { column in
            "ALTER TABLE \(table.quotedIdentifier) ADD COLUMN \(column.name.quotedIdentifier) \(typeName(column.type))"
                + (column.isNotNull ? " NOT NULL" : "") + (column.defaultValueSQL.map { " DEFAULT \($0)" } ?? "")
                + ";\n"
        }.joined()
        // The columns may have other constraints.
        let definition = try String.fetchOne(
            current, sql: "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
            arguments: [table])
        let trial = try DatabaseQueue()
        return try trial.write { trial in
            // An expression as the default value can't be added.
            do { try trial.execute(sql: "\(definition ?? ""); \(statements)") } catch is DatabaseError { return nil }
            let remains = try db.schemaDifferences(from: trial).contains {
                $0.object.kind == .table && $0.object.name.lowercased() == table.lowercased()
            }
            return remains ? nil : statements
        }
    }

    /// The type of a column in SQL. A file can have any text there.
    private static func typeName(_ type: String) -> String {
        let isPlain = type.utf8.allSatisfy { byte in
            byte >= 0x80 || "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ (),+.".utf8.contains(byte)
        }
        return isPlain ? type : type.quotedIdentifier
    }
}
