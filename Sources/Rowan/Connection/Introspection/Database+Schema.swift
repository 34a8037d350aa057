// Schema queries, answered from the connection's cache. Queries by the program are recorded: an observation whose fetch
// depends on their results also tracks the schema.

extension Database {
    /// Records that the fetched values depend on the schema, if reads are recorded.
    func noteQuestion(in schemaName: String?) throws {
        guard connection.isRecordingReads else { return }
        for schema in try schemaIDs(schemaName) {
            connection.currentReadRecorder?.willRead(
                StatementProfile.Table(schema: schema.name, name: schema.schemaTableName))
        }
    }

    package func isTable(_ name: String, in schemaName: String?) throws -> Bool {
        try object(name, in: schemaName).map { !$0.isView } ?? false
    }

    package func isView(_ name: String, in schemaName: String?) throws -> Bool {
        try object(name, in: schemaName)?.isView ?? false
    }

    /// Clears the schema cache and the statements that depend on it.
    public func clearSchemaCache() { connection.schemaDidMove() }

    /// Whether a table with this name exists, in one schema or in any.
    ///
    /// If no schema is given, tables backed by collections are included: see ``register(_:as:columns:safety:)``.
    public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try noteQuestion(in: schemaName)
        return try isTable(name, in: schemaName)
    }

    /// Whether a view with this name exists, in one schema or in any.
    public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try noteQuestion(in: schemaName)
        return try isView(name, in: schemaName)
    }

    /// Whether a trigger with this name exists, in one schema or in any.
    public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try noteQuestion(in: schemaName)
        return try schemaIDs(schemaName).contains { try exists("trigger", name, in: $0) }
    }

    /// Whether a table name is reserved by SQLite.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        tableName.foldedDatabaseName.hasPrefix("sqlite_") || tableName.foldedDatabaseName.hasPrefix("pragma_")
    }

    /// Whether a table belongs to this library: `grdb_migrations` contains the applied migrations.
    public static func isGRDBInternalTable(_ tableName: String) -> Bool {
        tableName.foldedDatabaseName.hasPrefix("grdb_")
    }

    /// The primary key of a table.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist, or for a view without a key from the schema source.
    public func primaryKey(_ tableName: String, in schemaName: String? = nil) throws -> PrimaryKeyInfo {
        try noteQuestion(in: schemaName)
        return try keyInfo(of: tableName, in: schemaName)
    }

    package func keyInfo(of tableName: String, in schemaName: String?) throws -> PrimaryKeyInfo {
        try cached(tableName, schemaName, \.primaryKey) { kind in
            if kind.isView { return try viewPrimaryKey(kind) }
            let all = try columnInfo(of: tableName, in: schemaName)
            var columns = all.filter { $0.primaryKeyIndex > 0 }.sorted(on: \.primaryKeyIndex)
            // A scope that hides a part of the key hides the key.
            if columns.map(\.primaryKeyIndex) != Array(1..<(columns.count + 1)) { columns = [] }
            let isRowID =
                try !kind.isWithoutRowID && columns.count == 1 && columns[0].type == "INTEGER"
                && !hasPrimaryKeyIndex(tableName, kind)
            let key: PrimaryKeyInfo.Kind =
                if isRowID {
                    .rowID(columns[0].name)
                } else if columns.isEmpty, !kind.isWithoutRowID {
                    .hiddenRowID
                } else {
                    .columns(columns.map(\.name), tableHasRowID: !kind.isWithoutRowID)
                }
            return PrimaryKeyInfo(kind: key, columnNames: all.map(\.name))
        }
    }

    /// `INTEGER PRIMARY KEY DESC` has its own index, so it is not the rowid.
    /// <https://sqlite.org/lang_createtable.html#rowid>
    private func hasPrimaryKeyIndex(_ tableName: String, _ kind: SchemaCache.Table.Kind) throws -> Bool {
        try indexInfo(of: tableName, in: kind.schema.name).contains { $0.origin == .primaryKeyConstraint }
    }

    /// The primary key that the schema source provides for a view.
    func viewKeyColumns(_ kind: SchemaCache.Table.Kind) throws -> [String]? {
        let view = DatabaseObjectID(name: kind.name, schemaID: kind.schema)
        guard let columns = try currentSchemaSource?.columnsForPrimaryKey(self, inView: view) else { return nil }
        guard !columns.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "the schema source gives the view \(kind.name) a primary key without columns: return nil for a view "
                    + "without a key")
        }
        return columns
    }

    private func viewPrimaryKey(_ kind: SchemaCache.Table.Kind) throws -> PrimaryKeyInfo {
        guard let columns = try viewKeyColumns(kind) else {
            throw DatabaseError(
                message: "the view \(kind.name) has no primary key: a schema source can provide one "
                    + "(Configuration.schemaSource)")
        }
        return PrimaryKeyInfo(kind: .columns(columns, tableHasRowID: false), columnNames: [])
    }

    /// The columns of a table or a view, including generated columns.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
        try noteQuestion(in: schemaName)
        return try columnInfo(of: tableName, in: schemaName)
    }

    package func columnInfo(of tableName: String, in schemaName: String?) throws -> [ColumnInfo] {
        try cached(tableName, schemaName, \.columns) { kind in
            let columns = try pragma("table_xinfo", kind.name, in: kind.schema).map(ColumnInfo.init(row:))
            return columns.filter { !$0.isHidden && isShown($0.name, of: kind) }
        }
    }

    /// The indexes of a table on columns. Indexes on expressions are not included.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
        try noteQuestion(in: schemaName)
        return try indexInfo(of: tableName, in: schemaName)
    }

    func indexInfo(of tableName: String, in schemaName: String?) throws -> [IndexInfo] {
        try cached(tableName, schemaName, \.indexes) { kind in
            try pragma("index_list", kind.name, in: kind.schema).compactMap { row in
                let name: String = row["name"]
                let terms = try pragma("index_xinfo", name, in: kind.schema).filter { $0["key"] }
                let columns = terms.compactMap { $0["name"] as String? }
                guard columns.count == terms.count, columns.allSatisfy({ isShown($0, of: kind) }) else { return nil }
                let comparesAlike = zip(columns, terms).allSatisfy { column, term in
                    let type = connection.columnType(column, of: kind.name, in: kind.schema.name)
                    return type.map { $0.collation.isSameDatabaseName(as: term["coll"]) } ?? true
                }
                return IndexInfo(
                    name: name, columns: columns, isUnique: row["unique"],
                    origin: IndexInfo.Origin(rawValue: row["origin"]), coversWholeTable: !(row["partial"] as Bool),
                    comparesLikeColumns: comparesAlike)
            }
        }
    }

    /// The foreign keys of a table.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func foreignKeys(on tableName: String, in schemaName: String? = nil) throws -> [ForeignKeyInfo] {
        try noteQuestion(in: schemaName)
        return try cached(tableName, schemaName, \.foreignKeys) { try readForeignKeys(on: $0) }
    }

    /// The foreign keys from one table to another. Foreign keys to other tables, which may not exist, are ignored.
    func foreignKeys(
        on tableName: String, in schemaName: String?, to destination: String
    ) throws -> [ForeignKeyInfo] {
        try readForeignKeys(on: existingObject(tableName, in: schemaName), to: destination)
    }

    private func readForeignKeys(
        on kind: SchemaCache.Table.Kind, to destination: String? = nil
    ) throws -> [ForeignKeyInfo] {
        let rows = try pragma("foreign_key_list", kind.name, in: kind.schema)
            .filter { row in destination.map { $0.isSameDatabaseName(as: row["table"]) } ?? true }
        let groups = Dictionary(grouping: rows) { $0["id"] as Int }
        return try groups.sorted(on: \.key).compactMap { id, rows in
            let rows = rows.sorted(on: { $0["seq"] as Int })
            let table: String = rows[0]["table"]
            guard isShown(table), rows.allSatisfy({ isShown($0["from"], of: kind) }) else { return nil }
            // A foreign key without columns refers to the primary key.
            let primaryKey =
                rows[0]["to"] as String? == nil ? try keyInfo(of: table, in: kind.schema.name).columns : []
            // SQLite rejects such a foreign key when it is enforced.
            guard primaryKey.isEmpty || primaryKey.count == rows.count else { return nil }
            return ForeignKeyInfo(
                id: id, destinationTable: table,
                mapping: rows.enumerated().map { index, row in
                    (origin: row["from"], destination: row["to"] as String? ?? primaryKey[index])
                })
        }
    }

    /// Whether the columns include the primary key, a unique index or the rowid, so that no two rows have the same
    /// values in these columns.
    ///
    /// - Returns: false if the table does not exist, or if it is a view with an unknown key.
    public func table(_ tableName: String, hasUniqueKey columns: some Collection<String>) throws -> Bool {
        try noteQuestion(in: nil)
        return try hasUniqueKey(TableName(tableName), columns: Array(columns))
    }

    /// The primary key or unique index included in the given columns, in the order of that key.
    ///
    /// - Parameter isCompared: whether the values must also differ when the columns are compared. An index may have
    ///   other collations.
    package func uniqueKey(
        _ tableName: String, of columns: some Collection<String>, in schemaName: String? = nil,
        isCompared: Bool = false
    ) throws -> [String]? {
        let wanted = Set(columns.map(\.foldedDatabaseName))
        func matches(_ key: [String]) -> Bool { !key.isEmpty && wanted.isSuperset(of: key.map(\.foldedDatabaseName)) }
        let primaryKey = try keyInfo(of: tableName, in: schemaName)
        if matches(primaryKey.columns) { return primaryKey.columns }
        if let name = primaryKey.hiddenRowIDName, wanted.contains(name) { return [name] }
        return try indexInfo(of: tableName, in: schemaName)
            .first {
                $0.isUnique && $0.coversWholeTable && matches($0.columns) && (!isCompared || $0.comparesLikeColumns)
            }?.columns
    }

    /// The names of a table's rowid: its alias and a hidden name.
    ///
    /// - Returns: no names for a table without rowid.
    package func rowIDNames(of tableName: String, in schemaName: String? = nil) throws -> [String] {
        let key = try keyInfo(of: tableName, in: schemaName)
        return [key.rowIDColumn, key.hiddenRowIDName].compactMap(\.self)
    }

    /// Runs the closure with another source of information missing from the schema.
    public func withSchemaSource<T>(
        _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
    ) rethrows -> T {
        let previous = currentSchemaSource
        currentSchemaSource = schemaSource
        clearSchemaCache()
        defer {
            currentSchemaSource = previous
            clearSchemaCache()
        }
        return try block()
    }

    /// The source of information missing from the schema.
    public var schemaSource: (any DatabaseSchemaSource)? { currentSchemaSource }
}

// MARK: - The cache

extension Database {
    private func key(_ name: String, _ schemaName: String?) -> String {
        schemaName.map { "\($0.foldedDatabaseName)\u{0}\(name.foldedDatabaseName)" } ?? name.foldedDatabaseName
    }

    /// Clears a schema outdated by another connection's changes. Each access checks with SQLite once.
    func validateCache() throws {
        if schemaCache.checkedAccess != connection.accessNumber {
            schemaCache.checkedAccess = connection.accessNumber
            try connection.checkSchema()
        }
        guard schemaCache.epoch != connection.schemaEpoch else { return }
        schemaCache = SchemaCache(epoch: connection.schemaEpoch, checkedAccess: schemaCache.checkedAccess)
    }

    /// A property of a table, read once per schema.
    @inline(never)
    func cached<T>(
        _ name: String, _ schemaName: String?, _ member: WritableKeyPath<SchemaCache.Table, T?>,
        _ read: (SchemaCache.Table.Kind) throws -> T
    ) throws -> T {
        try validateCache()
        let key = key(name, schemaName)
        if let value = schemaCache.tables[key]?[keyPath: member] { return value }
        let value = try read(existingObject(name, in: schemaName))
        schemaCache.tables[key, default: SchemaCache.Table()][keyPath: member] = value
        return value
    }

    /// The table or view with this name, as spelled in the schema.
    ///
    /// - Throws: SQLITE_ERROR if it does not exist.
    package func existingTable(_ name: String, in schemaName: String?) throws -> DatabaseObjectID {
        let object = try existingObject(name, in: schemaName)
        return DatabaseObjectID(name: object.name, schemaID: object.schema)
    }

    /// Whether SQLite reports row changes of a table. It does not for views, virtual tables, tables without rowid and
    /// tables that don't exist yet.
    func reportsRows(of name: String, in schemaName: String?) throws -> Bool {
        guard let kind = try object(name, in: schemaName) else { return false }
        return !kind.isView && !kind.isVirtual && !kind.isWithoutRowID
    }

    package func isWithoutRowID(_ name: String, in schemaName: String?) throws -> Bool {
        try object(name, in: schemaName)?.isWithoutRowID ?? false
    }

    /// Whether the table stores its rows itself.
    package func storesRows(_ name: String, in schemaName: String?) throws -> Bool {
        guard let kind = try object(name, in: schemaName) else { return false }
        return !kind.isView && !kind.isVirtual
    }

    package func isVirtualTable(_ name: String, in schemaName: String?) throws -> Bool {
        try object(name, in: schemaName)?.isVirtual ?? false
    }

    private func existingObject(_ name: String, in schemaName: String?) throws -> SchemaCache.Table.Kind {
        if let kind = try object(name, in: schemaName) { return kind }
        throw connection.explained(
            DatabaseError(message: "no such table: \(schemaName.map { "\($0)." } ?? "")\(name)"))
    }

    /// The table or view with this name, searched in SQLite's order: temp, main, then the attached schemas.
    func object(_ name: String, in schemaName: String?) throws -> SchemaCache.Table.Kind? {
        try validateCache()
        let key = key(name, schemaName)
        if let kind = schemaCache.tables[key]?.kind { return kind }
        for schema in try schemaIDs(schemaName) {
            guard let kind = try find(name, in: schema) else { continue }
            schemaCache.tables[key, default: SchemaCache.Table()].kind = kind
            return kind
        }
        // A collection's table is in no schema, so a table in any schema takes precedence.
        guard schemaName == nil, !connection.isInScope, collections.names.contains(name.foldedDatabaseName) else {
            return nil
        }
        return .init(schema: .main, name: name, isView: false, isVirtual: true, isWithoutRowID: false)
    }

    private func find(_ name: String, in schema: DatabaseSchemaID) throws -> SchemaCache.Table.Kind? {
        guard isShown(name) else { return nil }
        if name.isSameDatabaseName(as: "sqlite_master") || name.isSameDatabaseName(as: schema.schemaTableName) {
            return .init(schema: schema, name: name, isView: false, isVirtual: false, isWithoutRowID: false)
        }
        let rows = try pragma("table_list", name, in: schema)
        return rows.first.map { row in
            .init(
                schema: schema, name: row["name"], isView: row["type"] == "view", isVirtual: row["type"] == "virtual",
                isWithoutRowID: row["wr"])
        }
    }

    private func exists(_ type: String, _ name: String, in schema: DatabaseSchemaID) throws -> Bool {
        guard !connection.isInScope else { return false }
        let table = "\(schema.name.quotedDatabaseIdentifier).\(schema.schemaTableName)"
        return try !Row.rows(
            connection, "SELECT 1 FROM \(table) WHERE type = ? AND name = ? COLLATE NOCASE",
            [type, name]
        ).isEmpty
    }

    package func schemaIDs(_ name: String?) throws -> [DatabaseSchemaID] {
        let names = connection.isInScope ? ["main"] : try connection.schemaNames()
        if name == nil, connection.isInScope { return [.main] }
        guard let name else {
            return [.temp] + names.filter { $0 != "temp" }.map { DatabaseSchemaID(name: $0) }
        }
        guard name.isSameDatabaseName(as: "temp") || names.contains(where: name.isSameDatabaseName) else {
            throw DatabaseError(message: "no such schema: \(name)")
        }
        return [DatabaseSchemaID(name: name)]
    }

    private func pragma(_ pragma: String, _ argument: String, in schema: DatabaseSchemaID) throws -> [Row] {
        let sql = "PRAGMA \(schema.name.quotedDatabaseIdentifier).\(pragma)(\(argument.quotedDatabaseIdentifier))"
        return try connection.withoutScope { try Row.rows(of: makeStatement(sql: sql), []) }
    }

    /// Whether the access can see the table.
    func isShown(_ table: String) -> Bool {
        connection.scope.map { $0.tables[table.foldedDatabaseName] != nil } ?? true
    }

    private func isShown(_ column: String, of table: SchemaCache.Table.Kind) -> Bool {
        guard let scope = connection.scope else { return true }
        return scope.tables[table.name.foldedDatabaseName]?.columns.contains(column.foldedDatabaseName) == true
    }
}

extension Row {
    /// The rows of one of Rowan's own queries, which is kept compiled.
    package static func rows(
        _ connection: LocalConnection, _ sql: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> [Row] {
        try connection.withStatement(sql) { try rows(of: $0, arguments) }
    }

    /// The rows of one of Rowan's own queries.
    package static func rows(of statement: Statement, _ arguments: StatementArguments) throws -> [Row] {
        try statement.setArguments(arguments)
        let cursor = try RowCursor(statement, adapter: nil)
        // Observations must not track Rowan's own queries.
        return try statement.connection.unwatched {
            var rows: [Row] = []
            while let row = try cursor.next() { rows.append(row.copy()) }
            return rows
        }
    }
}
