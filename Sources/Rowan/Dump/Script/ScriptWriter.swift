// The order of a script: tables, then rows, then what must not affect rows or depends on them. Virtual tables are
// inserted in sqlite_master, because CREATE VIRTUAL TABLE would create their content tables, which the script has
// restored.

import RowanPlatform

/// Writes the script of one schema.
struct ScriptWriter {
    let db: Database
    let schema: DatabaseSchemaID
    let reals: RealLiterals
    let objects: [Object]

    /// A row of sqlite_master.
    struct Object {
        enum Kind { case table, virtualTable, index, uniqueIndex, view, trigger, statistics, sequence }
        let kind: Kind
        let name: String
        /// The name of the table of an index; of other objects, their own name.
        let table: String
        /// Nil for the tables that SQLite creates itself.
        let definition: SQLDefinition?
    }

    /// The objects whose definitions are not valid UTF-8. In `objects`, stand-ins replace their bytes.
    let unreadable: UnreadableNames

    /// - Throws: SQLITE_ERROR if there is no such schema; SQLITE_CORRUPT for a definition that isn't one statement.
    init(_ db: Database, _ schema: DatabaseSchemaID) throws {
        self.db = db
        self.schema = schema
        reals = RealLiterals(db)
        unreadable = try UnreadableNames(db, schema)
        let table = "\(schema.name.quotedDatabaseIdentifier).\(schema.schemaTableName)"
        let rows = try Row.fetchAll(
            db, sql: "SELECT type, name, sql, rowid, tbl_name FROM \(table) ORDER BY rowid")
        objects = try rows.compactMap { [unreadable] row in
            let isHidden = (row["tbl_name"] as String?).map(db.connection.abilities.hiddenTables.contains) ?? false
            return isHidden ? nil : try Object(row, unreadable.objects[row["rowid"]])
        }
    }

    func objects(_ kinds: Object.Kind...) -> [Object] { objects.filter { kinds.contains($0.kind) } }

    mutating func write(to stream: inout DumpStream) throws {
        let foreignKeys = try foreignKeyState()
        try writeStart(foreignKeys, to: &stream)
        for table in objects(.table) { stream.write(table.statement) }
        // The key of a parent table may be an index. Rows are inserted faster without indexes.
        if foreignKeys != .none { objects(.uniqueIndex).forEach { stream.write($0.statement) } }
        for table in objects(.table) {
            if let bytes = unreadable.bytes(of: table.name) {
                try writeRows(of: table.name, bytes, to: &stream)
            } else {
                try writeRows(of: table.name, to: &stream)
            }
        }
        try writeSequence(to: &stream)
        writeVirtualTables(to: &stream)
        if foreignKeys == .none { objects(.uniqueIndex).forEach { stream.write($0.statement) } }
        for kind in [Object.Kind.index, .view, .trigger] {
            for object in objects(kind) { stream.write(object.statement) }
        }
        try writeStatistics(to: &stream)
        writeUnreadableNames(to: &stream)
        try writeEnd(foreignKeys, to: &stream)
    }

    // MARK: Foreign keys

    private enum ForeignKeyState {
        /// No table has a foreign key.
        case none
        /// All rows respect them.
        case respected
        /// SQLite would reject the rows.
        case violated
    }

    private func foreignKeyState() throws -> ForeignKeyState {
        let schema = schema.name.quotedDatabaseIdentifier
        let hasForeignKey = try objects(.table).contains { table in
            let sql = "SELECT 1 FROM pragma_foreign_key_list(\(unreadable.literal(of: table.name)), ?)"
            return try Row.fetchOne(db, sql: sql, arguments: [self.schema.name]) != nil
        }
        guard hasForeignKey else { return .none }
        do {
            return try Row.fetchOne(db, sql: "PRAGMA \(schema).foreign_key_check") == nil ? .respected : .violated
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // A foreign key that does not refer to a key of its parent table.
            return .violated
        }
    }

    // MARK: Parts

    private func pragma(_ name: String) throws -> DatabaseValue {
        let sql = "PRAGMA \(schema.name.quotedDatabaseIdentifier).\(name)"
        return try DatabaseValue.fetchOne(db, sql: sql) ?? .null
    }

    private func writeStart(_ foreignKeys: ForeignKeyState, to stream: inout DumpStream) throws {
        let encoding = try pragma("encoding")
        if encoding != "UTF-8".databaseValue { stream.write("PRAGMA encoding=\(encoding.sqlLiteral);\n") }
        if foreignKeys == .violated { stream.write("PRAGMA foreign_keys=OFF;\n") }
        stream.write("SAVEPOINT \(savepoint);\n")
        if foreignKeys == .respected { stream.write("PRAGMA defer_foreign_keys=ON;\n") }
        try writeNumbers(to: &stream)
    }

    /// Writes the numbers in the header of the file.
    func writeNumbers(to stream: inout DumpStream) throws {
        for name in ["user_version", "application_id"] {
            let value = try pragma(name)
            if value != 0.databaseValue { stream.write("PRAGMA \(name)=\(value.sqlLiteral);\n") }
        }
    }

    private func writeEnd(_ foreignKeys: ForeignKeyState, to stream: inout DumpStream) throws {
        stream.write("RELEASE \(savepoint);\n")
        guard foreignKeys == .violated, try pragma("foreign_keys") == 1.databaseValue else { return }
        stream.write("PRAGMA foreign_keys=ON;\n")
    }

    private var savepoint: String { "rowan_script" }

    func writeSequence(to stream: inout DumpStream) throws {
        guard let sequence = objects(.sequence).first else { return }
        // The table exists only after a table has used AUTOINCREMENT.
        let table = unusedName.quotedDatabaseIdentifier
        stream.write("CREATE TABLE \(table)(id INTEGER PRIMARY KEY AUTOINCREMENT);\nDROP TABLE \(table);\n")
        stream.write("DELETE FROM main.sqlite_sequence;\n")
        try writeRows(of: sequence.name, in: "main.", to: &stream)
    }

    func writeStatistics(to stream: inout DumpStream) throws {
        guard let statistics = objects(.statistics).first else { return }
        // Creates sqlite_stat1.
        stream.write("ANALYZE main.sqlite_master;\nDELETE FROM main.sqlite_stat1;\n")
        try writeRows(of: statistics.name, in: "main.", to: &stream)
    }

    private func writeVirtualTables(to stream: inout DumpStream) {
        let tables = objects(.virtualTable)
        guard !tables.isEmpty else { return }
        stream.write("PRAGMA writable_schema=ON;\n")
        for table in tables {
            let name = table.name.quotedDatabaseString
            let sql = (table.definition?.sql ?? "").quotedDatabaseString
            stream.write(
                "INSERT INTO sqlite_master(type,name,tbl_name,rootpage,sql) "
                    + "VALUES('table',\(name),\(name),0,\(sql));\n")
        }
        writeSchemaReset(to: &stream)
    }

    /// Makes SQLite read the schema again. The schema change notifies the other connections.
    func writeSchemaReset(to stream: inout DumpStream) {
        let table = unusedName.quotedDatabaseIdentifier
        stream.write("PRAGMA writable_schema=RESET;\nCREATE TABLE \(table)(id);\nDROP TABLE \(table);\n")
    }

    /// A name that no object has.
    private var unusedName: String {
        var name = "rowan_script"
        while objects.contains(where: { $0.name.isSameDatabaseName(as: name) }) { name += "_" }
        return name
    }
}

extension ScriptWriter.Object {
    /// - Parameter known: the replacement of a name and a definition that are not valid UTF-8.
    /// - Returns: nil for an object that the script does not create.
    init?(_ row: Row, _ known: UnreadableNames.Object?) throws {
        // Automatic indexes have no SQL.
        guard let sql = row["sql"] as String? else { return nil }
        let type: String = row["type"]
        name = known?.name ?? row["name"]
        table = row["tbl_name"]
        if type == "table", name.foldedDatabaseName.hasPrefix("sqlite_") {
            switch name.foldedDatabaseName {
            case "sqlite_sequence": kind = .sequence
            case "sqlite_stat1": kind = .statistics
            default: return nil
            }
            definition = nil
            return
        }
        guard ["table", "index", "view", "trigger"].contains(type) else { return nil }
        let definition = try SQLDefinition(known?.sql ?? sql, type: type, name: name)
        self.definition = definition
        kind =
            switch type {
            case "table": definition.isVirtualTable ? .virtualTable : .table
            case "index": definition.isUniqueIndex ? .uniqueIndex : .index
            case "view": .view
            default: .trigger
            }
    }

    var statement: String { definition.map { $0.terminated + "\n" } ?? "" }
}
