// Compares record types with their tables, so that programs find their mistakes at startup or in a test, before a fetch
// fails or a column silently converts a value.

extension Database {
    /// Compares record types with their tables and lists the differences: missing tables and columns, columns of
    /// another type, nullable columns whose property is not optional, NOT NULL columns that are never stored, an `id`
    /// or a `@PrimaryKey` that is not the primary key, foreign keys without an index, and properties with `@References`
    /// whose column has no foreign key, or one to another table or with other actions.
    ///
    /// ```swift
    /// struct Player: Codable, Identifiable, FetchableRecord, PersistableRecord {
    ///     var id: Int64
    ///     var name: String
    ///     var score: Int
    /// }
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score TEXT NOT NULL)
    /// for mismatch in try db.checkSchema(of: Player.self) { print(mismatch) }
    /// // Player: the column "name" of "player" can be NULL: declare it NOT NULL, or make the property optional
    /// // Player: the column "score" of "player" has the type TEXT, and the property is stored as INTEGER: change...
    /// ```
    ///
    /// A Decodable type is decoded once from placeholder values, such as zero and empty text, and an Encodable type
    /// stores the result in memory: no row is read or written. The `init(from:)` of a type is called, but a custom
    /// `init(row:)` is not. What can't be examined in this way is listed as
    /// ``SchemaMismatch/Kind/notExamined(reason:)``. Properties that are records, or collections of records, belong to
    /// associations and are not compared.
    ///
    /// - Returns: the mismatches in the order of the types; empty if all types match their tables.
    /// - Throws: a ``DatabaseError`` if the schema can't be read.
    /// - Complexity: several schema queries for each type, whose results the schema cache then keeps.
    public func checkSchema(of types: any TableRecord.Type...) throws -> [SchemaMismatch] {
        try checkSchema(of: types)
    }

    /// Compares a list of record types with their tables.
    ///
    /// - Returns: the mismatches in the order of the types; empty if all types match their tables.
    /// - Throws: a ``DatabaseError`` if the schema can't be read.
    public func checkSchema(of types: [any TableRecord.Type]) throws -> [SchemaMismatch] {
        try types.flatMap { type in
            guard let check = try RecordCheck(self, type) else {
                return [SchemaMismatch(.missingTable, type)]
            }
            return try check.mismatches(self)
        }
    }
}

extension SchemaMismatch {
    fileprivate init(_ kind: Kind, _ type: any TableRecord.Type, column: String? = nil) {
        self.init(
            kind: kind, recordType: String(describing: type),
            table: type.databaseTableName, schema: type.databaseSchemaName, column: column)
    }
}

/// A record type, with the schema of its table.
private struct RecordCheck {
    let type: any TableRecord.Type
    let isView: Bool
    /// Whether the columns declare if they can be NULL. Those of views and virtual tables do not.
    let declaresConstraints: Bool
    let isStrict: Bool
    let columns: [ColumnInfo]
    /// Nil for a view without a key.
    let primaryKey: [String]?
    let rowIDColumn: String?
    let shape: RecordShape

    /// - Returns: nil if the table does not exist.
    init?(_ db: Database, _ type: any TableRecord.Type) throws {
        let (name, schema) = (type.databaseTableName, type.databaseSchemaName)
        if let schema, try !db.hasSchema(schema) { return nil }
        isView = try db.viewExists(name, in: schema)
        guard try isView || db.tableExists(name, in: schema) else { return nil }
        self.type = type
        columns = try db.columns(in: name, in: schema)
        let hasConstraint = columns.contains(where: \.isNotNull)
        declaresConstraints = try hasConstraint || !isView && db.isStored(db.existingTable(name, in: schema))
        isStrict = try !isView && db.isStrict(db.existingTable(name, in: schema))
        primaryKey = try db.keyColumns(ofTable: TableName(name, schema: schema))
        rowIDColumn = isView ? nil : try db.primaryKey(name, in: schema).rowIDColumn
        shape = RecordShape(type, columns: columns.map(\.name))
    }

    func mismatches(_ db: Database) throws -> [SchemaMismatch] {
        let identity = identityMismatches()
        return try missingColumns() + propertyMismatches() + storedMismatches()
            + (identity.isEmpty ? primaryKeyMismatches() : identity)
            + foreignKeyMismatches(db)
            + (shape.refusal.map { [mismatch(.notExamined(reason: $0))] } ?? [])
    }

    private func mismatch(_ kind: SchemaMismatch.Kind, _ column: String? = nil) -> SchemaMismatch {
        SchemaMismatch(kind, type, column: column)
    }

    private func column(_ name: String) -> ColumnInfo? { columns.first { $0.name.isSameDatabaseName(as: name) } }

    private var properties: [RecordShape.Property] { shape.properties ?? [] }

    // MARK: Columns

    /// The columns that the type reads, stores or names but that the table does not have, without duplicates.
    private func missingColumns() -> [SchemaMismatch] {
        let read = properties.filter { !$0.isAssociation }.map(\.column)
        let names = read + (shape.stored?.map(\.0) ?? []) + shape.columnNames + selectedColumns
        var seen: Set<String> = []
        return names.filter { !isKnown($0) && seen.insert($0.foldedDatabaseName).inserted }
            .map { mismatch(.missingColumn, $0) } + unselectedColumns(read)
    }

    /// The rowid has a name without being a column.
    private func isKnown(_ name: String) -> Bool {
        column(name) != nil || primaryKey == ["rowid"] && name.isSameDatabaseName(as: "rowid")
            || resultNames.contains(name.foldedDatabaseName)
    }

    /// The columns that the selection names.
    private var selectedColumns: [String] {
        type.databaseSelection.compactMap { selection in
            switch selection.sqlSelection.node {
            case .expression(let expression), .named(let expression, _): expression.ownColumn
            case .literal, .allColumns, .symbol: nil
            }
        }
    }

    /// The names that the selection gives to expressions.
    private var resultNames: Set<String> {
        Set(
            type.databaseSelection.compactMap { selection in
                guard case .named(_, let name) = selection.sqlSelection.node else { return nil }
                return name.foldedDatabaseName
            })
    }

    /// The columns that the type reads, if the selection consists only of other columns.
    private func unselectedColumns(_ read: [String]) -> [SchemaMismatch] {
        var selected = resultNames
        for selection in type.databaseSelection {
            switch selection.sqlSelection.node {
            case .expression(let expression):
                guard let column = expression.ownColumn else { return [] }
                selected.insert(column.foldedDatabaseName)
            case .named: break
            case .literal, .allColumns, .symbol: return []
            }
        }
        return read.filter { column($0) != nil && !selected.contains($0.foldedDatabaseName) }
            .map { mismatch(.unselectedColumn, $0) }
    }

    // MARK: Types and NULL

    private func propertyMismatches() -> [SchemaMismatch] {
        properties.flatMap { property in
            guard let column = column(property.column) else { return [SchemaMismatch]() }
            let isRowID = rowIDColumn?.isSameDatabaseName(as: column.name) ?? false
            return nullMismatches(property, column, isRowID: isRowID) + typeMismatches(property, column)
        }
    }

    private func nullMismatches(
        _ property: RecordShape.Property, _ column: ColumnInfo, isRowID: Bool
    ) -> [SchemaMismatch] {
        // A rowid is never NULL.
        guard declaresConstraints, !isRowID else { return [] }
        if !property.isOptional { return column.isNotNull ? [] : [mismatch(.nullableColumn, column.name)] }
        // Reading NOT NULL columns as optionals is harmless, unlike storing nil.
        let isStored = shape.stored?.index(ofColumn: column.name) != nil
        return column.isNotNull && isStored ? [mismatch(.notNullColumn, column.name)] : []
    }

    private func typeMismatches(_ property: RecordShape.Property, _ column: ColumnInfo) -> [SchemaMismatch] {
        let isPlainText = property.type is String.Type
        let value = shape.stored?.value(forColumn: column.name)
        let stored: StoredClass? =
            if let storage = property.storage {
                StoredClass(storage: storage)
            } else if shape.isGenerated, value != nil {
                StoredClass(storing: property.type)
            } else {
                // The value of a type that only reads is unknown: it may have its own strategy.
                value.flatMap { StoredClass($0, isPlainText: isPlainText) } ?? StoredClass(readingAs: property.type)
            }
        guard let stored, !ColumnClass(declaredType: column.type, isStrict: isStrict).suits(stored) else { return [] }
        return [mismatch(.type(property: stored.name, column: column.type), column.name)]
    }

    // MARK: Storing

    private func storedMismatches() -> [SchemaMismatch] {
        guard !isView, let stored = shape.stored else { return [] }
        let key = Set((primaryKey ?? []).map(\.foldedDatabaseName))
        return columns.compactMap { column in
            let isStored = stored.index(ofColumn: column.name) != nil
            if isStored { return column.isGenerated ? mismatch(.generatedColumn, column.name) : nil }
            if key.contains(column.name.foldedDatabaseName) { return mismatch(.unstoredKey, column.name) }
            let isRequired = column.isNotNull && column.defaultValueSQL == nil && !column.isGenerated
            return isRequired ? mismatch(.unstoredColumn, column.name) : nil
        }
    }

    // MARK: Keys

    /// `filter(id:)` and similar methods search the primary key.
    private func identityMismatches() -> [SchemaMismatch] {
        guard type is any Identifiable.Type, let primaryKey else { return [] }
        let names = properties.map(\.column)
        guard primaryKey.count == 1 else { return [mismatch(.identity(primaryKey: primaryKey))] }
        guard !names.isEmpty else { return [] }
        let readsKey = names.contains { $0.isSameDatabaseName(as: primaryKey[0]) }
        // A property `id` is the identity, whatever else the record contains.
        let readsOtherID =
            !primaryKey[0].isSameDatabaseName(as: "id")
            && properties.contains { $0.key == "id" && !$0.column.isSameDatabaseName(as: primaryKey[0]) }
        return readsKey && !readsOtherID ? [] : [mismatch(.identity(primaryKey: primaryKey))]
    }

    /// The primary key that a generated type declares.
    private func primaryKeyMismatches() -> [SchemaMismatch] {
        guard let layout = type._tableLayout, !layout.keys.isEmpty, let primaryKey else { return [] }
        let declared = layout.keys.map { layout.names[$0] }
        let isSame =
            declared.count == primaryKey.count
            && declared.allSatisfy { name in primaryKey.contains { $0.isSameDatabaseName(as: name) } }
        return isSame ? [] : [mismatch(.primaryKey(declared: declared, found: primaryKey))]
    }

    private func foreignKeyMismatches(_ db: Database) throws -> [SchemaMismatch] {
        guard !isView else { return [] }
        let table = try db.existingTable(type.databaseTableName, in: type.databaseSchemaName)
        let name = TableName(type.databaseTableName, schema: type.databaseSchemaName)
        let keys = try db.foreignKeys(of: table)
        return try keys.compactMap { key in
            // A foreign key refers to a table in its own schema.
            guard try db.hasColumns(key.references, in: table.schemaID) else {
                return mismatch(.foreignKeyWithoutTable(columns: key.columns, references: key.references))
            }
            return try db.isIndexed(name, columns: key.columns)
                ? nil : mismatch(.foreignKeyWithoutIndex(columns: key.columns, references: key.references))
        } + referenceMismatches(keys)
    }

    /// The references that a generated type declares.
    private func referenceMismatches(_ keys: [DeclaredForeignKey]) -> [SchemaMismatch] {
        (type._tableLayout?.references ?? []).flatMap { reference in
            let name = reference.column
            guard column(name) != nil else { return [SchemaMismatch]() }
            // The column may also be part of multi-column keys. Its own key takes precedence.
            let candidates = keys.filter { $0.columns.contains { $0.isSameDatabaseName(as: name) } }
            let table = reference.table()
            let ownKeys = candidates.filter { $0.columns.count == 1 }
            let key =
                (ownKeys + candidates).first { $0.references.isSameDatabaseName(as: table) }
                ?? ownKeys.first ?? candidates.first
            guard let key else { return [mismatch(.missingForeignKey, name)] }
            guard key.references.isSameDatabaseName(as: table) else {
                return [mismatch(.foreignKeyTable(declared: table, found: key.references), name)]
            }
            let events = [
                ("ON DELETE", reference.onDelete, key.onDelete), ("ON UPDATE", reference.onUpdate, key.onUpdate),
            ]
            return events.compactMap { event, declared, found in
                guard let declared, declared != found else { return nil }
                return mismatch(.foreignKeyAction(event: event, declared: declared, found: found), name)
            }
        }
    }
}

extension SQLExpression {
    /// The name of a column of the query's own table.
    fileprivate var ownColumn: String? {
        if case .column(let name, .current) = node { name } else { nil }
    }
}

extension Database {
    fileprivate func hasSchema(_ name: String) throws -> Bool {
        try schemaIDs(nil).contains { $0.name.isSameDatabaseName(as: name) }
    }

    /// Whether a table exists. This pragma does not walk through the schema.
    fileprivate func hasColumns(_ table: String, in schema: DatabaseSchemaID) throws -> Bool {
        let pragma = "\(schema.name.quotedDatabaseIdentifier).table_info(\(table.quotedDatabaseIdentifier))"
        return try Row.fetchOne(self, sql: "PRAGMA \(pragma)") != nil
    }

    /// Whether a table is stored in the file, which a virtual table is not. <https://sqlite.org/schematab.html>
    fileprivate func isStored(_ table: DatabaseObjectID) throws -> Bool {
        let list = "\(table.schemaID.name.quotedDatabaseIdentifier).\(table.schemaID.schemaTableName)"
        let sql = "SELECT 1 FROM \(list) WHERE name = ? AND type = 'table' AND rootpage <> 0"
        return try Bool.fetchOne(self, sql: sql, arguments: [table.name]) ?? false
    }

    /// The foreign keys of a table.
    fileprivate func foreignKeys(of table: DatabaseObjectID) throws -> [DeclaredForeignKey] {
        let (schema, name) = (table.schemaID.name.quotedDatabaseIdentifier, table.name.quotedDatabaseIdentifier)
        let rows = try Row.fetchAll(self, sql: "PRAGMA \(schema).foreign_key_list(\(name))")
        return Dictionary(grouping: rows) { $0["id"] as Int }.sorted(on: \.key).map { _, rows in
            let rows = rows.sorted(on: { $0["seq"] as Int })
            return DeclaredForeignKey(
                columns: rows.map { $0["from"] }, references: rows[0]["table"], onDelete: rows[0]["on_delete"],
                onUpdate: rows[0]["on_update"])
        }
    }
}

/// A foreign key as the table declares it.
private struct DeclaredForeignKey {
    let columns: [String]
    /// The table that the columns refer to, which may not exist.
    let references: String
    let onDelete: String
    let onUpdate: String
}
