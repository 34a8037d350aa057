// A column in the syntax of CREATE TABLE and ALTER TABLE. <https://sqlite.org/syntax/column-def.html>

struct ColumnSyntax {
    enum Index { case none, plain, unique(Database.ConflictResolution?) }

    var name: String
    var type: String?
    var index = Index.none
    var primaryKeySQL: String?
    var notNullSQL: String?
    var checks: [SQL] = []
    var references: [ForeignKeyReference] = []
    var defaultValue: SQL?
    var collation: String?
    var generated: (expression: SQL, qualification: ColumnDefinition.GeneratedColumnQualification)?

    init(name: String, type: String?) {
        self.name = name
        self.type = type
    }

    func write(to renderer: inout Renderer) {
        renderer.write(identifier: name)
        if let type { renderer.write(" \(type)") }
        renderer.write(primaryKeySQL ?? "")
        renderer.write(notNullSQL ?? "")
        if case .unique(let resolution) = index { renderer.write(" UNIQUE\(resolution.onConflictSQL)") }
        for check in checks { renderer.write(check, between: " CHECK (", ")") }
        if let defaultValue { renderer.write(defaultValue, between: " DEFAULT ", "") }
        if let collation { renderer.write(" COLLATE \(collation.quotedCollationName)") }
        for reference in references { renderer.write(reference.sql) }
        if let (expression, qualification) = generated {
            renderer.write(
                expression, between: " GENERATED ALWAYS AS (", qualification == .stored ? ") STORED" : ") VIRTUAL")
        }
    }
}

/// The REFERENCES clause of a foreign key. <https://sqlite.org/syntax/foreign-key-clause.html>
struct ForeignKeyReference {
    var table: String
    /// The referenced columns, or nil for the primary key of the table.
    var columns: [String]?
    var onDelete: Database.ForeignKeyAction?
    var onUpdate: Database.ForeignKeyAction?
    var isDeferred: Bool

    var sql: String {
        var sql = " REFERENCES \(table.quotedDatabaseIdentifier)"
        if let columns { sql += "(\(columns.quotedList))" }
        if let onDelete { sql += " ON DELETE \(onDelete.rawValue)" }
        if let onUpdate { sql += " ON UPDATE \(onUpdate.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}

extension Renderer {
    fileprivate mutating func write(_ literal: SQL, between prefix: String, _ suffix: String) {
        write(prefix)
        write(literal)
        write(suffix)
    }
}

extension [String] {
    var quotedList: String {
        let names: [String] = map { $0.quotedDatabaseIdentifier }
        return names.joined(separator: ", ")
    }
}

extension Optional where Wrapped == Database.ConflictResolution {
    var onConflictSQL: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }
}
