// The actions that a scope allows.

import RowanSQLite

extension ScopeRestriction {
    private typealias Text = UnsafePointer<CChar>

    /// The functions of SQLite that never fail. Those that make a text as long as their argument fail if it is as long as SQLite
    /// accepts, trim() for a ninth of that.
    private static let safeFunctions: Set<String> = [
        "avg", "char", "coalesce", "count", "cume_dist", "date", "datetime", "dense_rank", "first_value", "ifnull",
        "iif", "instr", "julianday", "lag", "last_value", "lead", "length", "likelihood", "likely", "max", "min",
        "nullif",
        "percent_rank", "rank", "round", "row_number", "sign", "substr", "substring", "time", "total", "typeof",
        "unicode",
        "unixepoch", "unlikely",
    ]

    /// Functions that reveal what others have done on the connection or in the file, or load code.
    private static let refusedFunctions: Set<String> = [
        "changes", "total_changes", "last_insert_rowid", "sqlite_offset", "load_extension", "fts3_tokenizer",
        "sqlite_log",
    ]

    /// Pragmas that reveal nothing about rows.
    private static let readablePragmas: Set<String> = [
        "application_id", "encoding", "foreign_keys", "schema_version", "user_version",
    ]

    /// Tables that read nothing but their arguments, which may be invalid.
    static let functionTables: Set<String> = ["json_each", "json_tree"]

    /// Whether a statement may perform an action.
    func allows(
        _ code: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
        _ schema: UnsafePointer<CChar>?, _ cause: UnsafePointer<CChar>?
    ) -> Bool {
        func text(_ text: Text?) -> String { text.map { String(cString: $0) } ?? "" }
        let name = cause.map { String(cString: $0) }
        // The name as the statement spells it.
        if let name = name?.foldedDatabaseName, findings?.hidden.contains(name) == true,
            code == SQLITE_READ ? schema != nil : code == SQLITE_FUNCTION && text(second) == Self.function
        {
            noteUse(of: name, code == SQLITE_READ ? (text(first), text(second)) : nil)
            return true
        }
        // The queries and the checks of scopes are the program's.
        let isOwn = name?.hasPrefix(secret) ?? false
        let reader = name.flatMap { readers[$0] }
        let refusal: String? =
            switch code {
            case SQLITE_READ:
                readRefusal(
                    text(first), text(second), schema.map { text($0).foldedDatabaseName },
                    reader ?? (isOwn ? "" : nil), isDirect: name == nil)
            case SQLITE_FUNCTION: isOwn ? nil : functionRefusal(text(second).lowercased())
            case SQLITE_SELECT, SQLITE_RECURSIVE: nil
            case SQLITE_PRAGMA:
                second == nil && Self.readablePragmas.contains(text(first).lowercased())
                    ? nil : "a scope can't run PRAGMA \(text(first))"
            case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
                writeRefusal(code, text(first), text(schema), isDirect: name == nil)
            case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: Self.transactionRefusal
            case SQLITE_ATTACH, SQLITE_DETACH: "a scope can't attach or detach databases"
            default: Self.schemaRefusal
            }
        guard let refusal else { return true }
        if lastRefusal == nil { lastRefusal = refusal }
        return false
    }

    /// Notes that a statement uses what the scope does not include. It will be refused once it is compiled.
    private func noteUse(of name: String, _ read: (table: String, column: String)?) {
        if findings?.used == nil { findings?.used = (name, "") }
        guard let read, findings?.used?.name == name, findings?.used?.column == "",
            read.table.foldedDatabaseName == name,
            findings?.names.contains(read.column.foldedDatabaseName) == true
        else { return }
        findings?.used?.column = read.column
    }

    /// Also for the tables of modules, which declare them.
    static let schemaRefusal = "a scope can neither read nor change the schema"

    static let transactionRefusal = "a scope can't begin or end transactions"

    static func unread(_ table: String, _ column: String) -> String {
        "the scope does not include \(table)\(column.isEmpty ? "" : ".\(column)")"
    }

    private func readRefusal(
        _ table: String, _ column: String, _ schema: String?, _ reader: String?, isDirect: Bool
    ) -> String? {
        let name = table.foldedDatabaseName
        if isFunctionTable(name) {
            findings?.mayFail = true
            return nil
        }
        // A common table whose rows are only counted.
        guard let schema else { return nil }
        if let reader {
            if tables[reader]?.computedColumns.contains(column.foldedDatabaseName) == true { findings?.mayFail = true }
            return nil
        }
        // A table of which the scope's query reads no column. No other statement can name a schema.
        if column.isEmpty, schema == "main", tables[name] != nil { return nil }
        // A table of a query of the scope, of which only the rowid is used. The statement does not contain its name.
        if column.isEmpty, schema == "main", queriedTables.contains(name), findings?.names.contains(name) == false {
            return nil
        }
        // The table that the statement writes, or one that is checked for a foreign key.
        if isWriting, isDirect, schema == "main", let table = tables[name],
            table.columns.contains(column.foldedDatabaseName)
        {
            if table.computedColumns.contains(column.foldedDatabaseName) { findings?.mayFail = true }
            return nil
        }
        // A row that refers to a new one. Whether there is one has no effect.
        if isWriting, isDirect, schema == "main", let inserted = insertedTable,
            tables[inserted]?.writing?.referringColumns.contains("\(name).\(column.foldedDatabaseName)") == true
        {
            return nil
        }
        // The module of a function declares its columns.
        if isDeclaration(of: name, column) { return nil }
        return Self.unread(schema == "main" ? table : "\(schema).\(table)", column)
    }

    private func isDeclaration(of table: String, _ column: String) -> Bool {
        table == "sqlite_master" && column == "ROWID" && findings?.declaresFunctions == true
    }

    private func writeRefusal(_ code: CInt, _ table: String, _ schema: String, isDirect: Bool) -> String? {
        if isWriting, isDirect, schema.foldedDatabaseName == "main",
            tables[table.foldedDatabaseName]?.writing != nil
        {
            return nil
        }
        if code == SQLITE_UPDATE, isDeclaration(of: table, "ROWID") { return nil }
        let isSchema = table.hasSuffix("_master") && table.hasPrefix("sqlite_")
        return isSchema ? Self.schemaRefusal : "the scope can't change \(table)"
    }

    private func functionRefusal(_ name: String) -> String? {
        if Self.refusedFunctions.contains(name) { return "a scope can't call the function \(name)" }
        switch name {
        // Outside subqueries, they see only rows of the scope.
        case "sum" where !ownFunctions.contains(name), "group_concat" where !ownFunctions.contains(name): break
        // The texts of statements can't contain it.
        case Self.function: break
        case _ where Self.safeFunctions.contains(name) && !ownFunctions.contains(name): break
        default: findings?.mayFail = true
        }
        return nil
    }
}
