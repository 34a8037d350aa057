// Predicts the rowids that SQLite documents: the largest rowid plus one. SQLite reports only the last rowid of a
// multi-row INSERT and guarantees no order for the rows of RETURNING. A trigger or an ON CONFLICT clause of the table
// may change the rowids, so such tables are not numbered.
// Source: https://sqlite.org/autoinc.html

struct RowNumbering {
    /// The `INTEGER PRIMARY KEY`.
    let column: String
    private let largestRowID: PreparedSQL

    /// - Returns: nil for a table whose rowids can't be predicted.
    init?(_ db: Database, _ request: WriteRequest) throws {
        let table = request.record.databaseTable
        let schema = table.schema ?? "main"
        switch request.conflictResolution {
        case .abort, .fail, .rollback: break
        case .ignore, .replace: return nil
        }
        guard let column = try db.insertedKey(table).rowIDColumn, try db.isPlainTable(table.name, in: schema) else {
            return nil
        }
        self.column = column
        let rowID = column.quotedDatabaseIdentifier
        let quotedSchema = schema.quotedDatabaseIdentifier
        let source = "\(quotedSchema).\(table.name.quotedDatabaseIdentifier)"
        let name = DatabaseValue(storage: .string(table.name)).sqlLiteral
        // A key of an AUTOINCREMENT table is never reused.
        let sequence =
            try db.tableExists("sqlite_sequence", in: schema)
            ? "(SELECT max(seq) FROM \(quotedSchema).sqlite_sequence WHERE name = \(name) COLLATE NOCASE)" : "NULL"
        let use = try db.connection.use("SELECT max(\(rowID)), \(sequence) FROM \(source)")
        largestRowID = use.sql
    }

    /// Assigns rowids to the rows without one.
    ///
    /// - Returns: the rowids of all rows, in order. If they can't be predicted, returns nil and leaves the rows
    ///   unchanged.
    func number(_ db: Database, _ rows: inout [[DatabaseValue]], count: Int, columns: [String]) throws -> [Int64]? {
        guard let index = columns.firstIndex(where: column.isSameDatabaseName) else { return nil }
        guard var next = try firstRowID(db) else { return nil }
        var rowIDs: [Int64] = []
        rowIDs.reserveCapacity(count)
        for row in rows[..<count] {
            switch row[index].storage {
            case .null: rowIDs.append(next)
            case .int64(let rowID): rowIDs.append(rowID)
            case .double, .string, .blob: return nil
            }
            // After the largest integer, SQLite chooses random rowids. After a negative rowid, it continues from there.
            guard let rowID = rowIDs.last, rowID < .max, rowID >= 0 else { return nil }
            next = max(next, rowID + 1)
        }
        for (position, rowID) in rowIDs.enumerated() { rows[position][index] = rowID.databaseValue }
        return rowIDs
    }

    private func firstRowID(_ db: Database) throws -> Int64? {
        let cursor = try RowCursor(db.connection.use(largestRowID), adapter: nil)
        guard let row = try cursor.next() else { return nil }
        let largest: Int64? = row[0]
        // Programs may write anything to the sequence table.
        let stored: DatabaseValue = row[1]
        let sequence = stored.isNull ? 0 : Int64.fromDatabaseValue(stored)
        guard largest ?? 0 >= 0, let sequence else { return nil }
        let last = max(largest ?? 0, sequence)
        return last < .max ? last + 1 : nil
    }
}

extension Database {
    /// Whether the name is a table of the schema without triggers and ON CONFLICT clauses.
    fileprivate func isPlainTable(_ table: String, in schema: String) throws -> Bool {
        let sql = """
            SELECT type, sql FROM \(schema.quotedDatabaseIdentifier).sqlite_master WHERE tbl_name = ?1 COLLATE NOCASE AND type <> 'index'
            UNION ALL
            SELECT 'temp', NULL FROM sqlite_temp_master WHERE tbl_name = ?1 COLLATE NOCASE AND type <> 'index'
            """
        let rows = try Row.fetchAll(self, sql: sql, arguments: [table])
        guard rows.count == 1, let row = rows.first, row["type"] == "table", let sql: String = row["sql"] else {
            return false
        }
        let text = sql.uppercased()
        return text.hasPrefix("CREATE TABLE") && !text.contains("CONFLICT")
    }
}
