// What SQLite's compiler does not report about a statement.

import RowanSQLText
import RowanSQLite

extension StatementProfile {
    /// Adds the tables that a statement may read by joins without a condition: SQLite reports no column of `USING` and
    /// `NATURAL JOIN`, and if all columns of a table are such ones, not even the table.
    ///
    /// All tables of the schema are added that the text, or a view in it, names: more than it reads, if other names are
    /// the same.
    ///
    /// - Returns: all names in the text and the views, folded.
    mutating func findJoinedTables(
        in text: UnsafeBufferPointer<UInt8>, _ schemas: [String], _ connection: SQLiteConnection
    ) throws -> Set<String> {
        var names = Self.names(in: text)
        // The definitions of views, and empty texts for tables.
        var unused: [StatementProfile.Table: String] = [:]
        for schema in schemas {
            for row in try Self.strings("SELECT name, type, sql FROM \(Self.objects(schema))", connection) {
                unused[.init(schema: schema, name: row[0])] = row[1] == "view" ? row[2] : ""
            }
        }
        while let (table, definition) = unused.first(where: { names.contains($0.key.name.foldedDatabaseName) }) {
            unused[table] = nil
            let (schema, name) = (table.schema.quotedDatabaseIdentifier, table.name.quotedDatabaseIdentifier)
            // The columns of an invalid view, which the statement does not use, are unknown.
            let columns = try? Self.strings("PRAGMA \(schema).table_xinfo(\(name))", connection).map { $0[1] }
            reads[table, default: []].formUnion(columns ?? [])
            names.formUnion(definition.withBytes(Self.names))
        }
        return names
    }

    /// Whether a view joins tables by the names of their columns.
    static func hasViewsThatJoinByName(_ schemas: [String], _ connection: SQLiteConnection) throws -> Bool {
        try schemas.contains { schema in
            try strings("SELECT sql FROM \(objects(schema)) AND type = 'view'", connection)
                .contains { $0[0].withBytes(SQLBytes.joinsByName) }
        }
    }

    private static func objects(_ schema: String) -> String {
        "\(schema.quotedDatabaseIdentifier).sqlite_master WHERE type IN ('table', 'view')"
    }

    /// All words, names and texts, folded: a text can stand for a name.
    private static func names(in text: UnsafeBufferPointer<UInt8>) -> Set<String> {
        let scanner = SQLScanner(String(decoding: text, as: UTF8.self))
        return Set(scanner.compactMap { scanner.name($0)?.foldedDatabaseName })
    }

    /// The rows of a query, as texts.
    private static func strings(_ sql: String, _ connection: SQLiteConnection) throws -> [[String]] {
        var statement: SQLiteStatement?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        var rows: [[String]] = []
        while code == SQLITE_OK || code == SQLITE_ROW {
            code = sqlite3_step(statement)
            guard code == SQLITE_ROW else { break }
            rows.append(
                (0..<sqlite3_column_count(statement)).map { index in
                    sqlite3_column_text(statement, index).map { String(cString: $0) } ?? ""
                })
        }
        guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code), sql: sql) }
        return rows
    }

    /// Completes tables and views whose rows are read without columns. SQLite reports them as written in the FROM
    /// clause, without a schema, whether a table, a view or a common table expression. It also reports the tables
    /// behind views and common table expressions. Views are kept, because others may replace them.
    ///
    /// - Parameter findsViews: whether views can be read.
    mutating func findSchemas(in connection: SQLiteConnection, findsViews: Bool) {
        // A statement that writes also reports the names of triggers.
        let writes = !insertions.isEmpty || !deletions.isEmpty || !updates.isEmpty
        for table in reads.keys where table.schema.isEmpty {
            reads[table] = nil
            var schema = Self.schema(ofTable: table.name, in: connection, Self.isTable)
            if schema == nil, findsViews, !writes,
                !reads.keys.contains(where: { $0.name == table.name && !$0.schema.isEmpty })
            {
                schema = Self.schema(ofTable: table.name, in: connection, Self.isReadable)
            }
            if let schema { reads[.init(schema: schema, name: table.name), default: []].formUnion([]) }
        }
    }

    /// The schema where SQLite finds a table or a view: temp, main, then the attached schemas.
    private static func schema(
        ofTable name: String, in connection: SQLiteConnection,
        _ contains: (SQLiteConnection, _ schema: UnsafePointer<CChar>?, _ name: String) -> Bool
    ) -> String? {
        var index: CInt = 1
        while true {
            let schema = sqlite3_db_name(connection, index)
            if schema == nil, index > 1 { return nil }
            if let schema, contains(connection, schema, name) { return String(cString: schema) }
            index = index == 1 ? 0 : (index == 0 ? 2 : index + 1)
        }
    }

    private static func isTable(
        _ connection: SQLiteConnection, _ schema: UnsafePointer<CChar>?, _ name: String
    ) -> Bool {
        sqlite3_table_column_metadata(connection, schema, name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
    }

    /// Whether a name is that of a table or a view. SQLite has no function for this, so a query is compiled.
    private static func isReadable(
        _ connection: SQLiteConnection, _ schema: UnsafePointer<CChar>?, _ name: String
    ) -> Bool {
        guard let schema else { return false }
        let source = "\(String(cString: schema).quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
        var statement: SQLiteStatement?
        defer { sqlite3_finalize(statement) }
        return sqlite3_prepare_v2(connection, "SELECT 1 FROM \(source)", -1, &statement, nil) == SQLITE_OK
    }
}
