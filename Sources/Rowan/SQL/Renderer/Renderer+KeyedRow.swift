// Statements on a single row identified by its key. Their values are bound later.

extension Renderer {
    /// `UPDATE "t" SET "a"=?, "b"=? WHERE "id"=?`
    package mutating func writeUpdate(
        table: TableName, conflictResolution: String?, columns: [String], keyColumns: [String]
    ) {
        write("UPDATE ")
        if let conflictResolution { write("OR \(conflictResolution) ") }
        write(table)
        write(" SET ")
        write(parameters: columns, separator: ", ")
        write(key: keyColumns)
    }

    /// `DELETE FROM "t" WHERE "id"=?`
    package mutating func writeDelete(table: TableName, keyColumns: [String]) {
        write("DELETE FROM ")
        write(table)
        write(key: keyColumns)
    }

    /// `SELECT EXISTS (SELECT 1 FROM "t" WHERE "id"=?)`
    package mutating func writeExists(table: TableName, keyColumns: [String]) {
        write("SELECT EXISTS (SELECT 1 FROM ")
        write(table)
        write(key: keyColumns)
        write(")")
    }

    private mutating func write(key columns: [String]) {
        write(" WHERE ")
        write(parameters: columns, separator: " AND ")
    }

    private mutating func write(parameters columns: [String], separator: String) {
        write(list: columns, separator: separator) { renderer, column in
            renderer.write(identifier: column)
            renderer.write("=?")
        }
    }
}
