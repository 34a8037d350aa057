// The statements on the one row of a key, whose values are bound later.

extension Renderer {
    /// `UPDATE "t" SET "a"=?, "b"=? WHERE "id"=?`
    package mutating func writeUpdate(
        table: String, conflictResolution: String?, columns: [String], keyColumns: [String]
    ) {
        write("UPDATE ")
        if let conflictResolution { write("OR \(conflictResolution) ") }
        write(identifier: table)
        write(" SET ")
        write(parameters: columns, separator: ", ")
        write(key: keyColumns)
    }

    /// `DELETE FROM "t" WHERE "id"=?`
    package mutating func writeDelete(table: String, keyColumns: [String]) {
        write("DELETE FROM ")
        write(identifier: table)
        write(key: keyColumns)
    }

    /// `SELECT EXISTS (SELECT 1 FROM "t" WHERE "id"=?)`
    package mutating func writeExists(table: String, keyColumns: [String]) {
        write("SELECT EXISTS (SELECT 1 FROM ")
        write(identifier: table)
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
