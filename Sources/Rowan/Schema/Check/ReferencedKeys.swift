// The primary keys that foreign keys refer to.

import RowanSQLText

/// The primary keys of the tables of a schema, and of the table being defined.
struct ReferencedKeys {
    /// A column of a primary key.
    struct Column {
        var name: String
        var type: String?
    }

    let db: Database
    /// The schema of the table being defined. Foreign keys can't leave it.
    let schema: String
    let tableName: String
    /// The primary key of the table being defined; empty if it has none.
    var ownKey: () throws -> [Column]

    /// The columns of the primary key of a table, or nil if the table does not exist.
    ///
    /// - Throws: SQLITE_ERROR if the table has no primary key.
    func primaryKey(of table: String) throws -> [Column]? {
        guard let key = try key(of: table) else { return nil }
        guard !key.isEmpty else {
            throw DatabaseError(
                message: "table \(table) has no primary key for a foreign key of table \(tableName) to refer to: "
                    + "declare one, or name the referenced columns in the foreign key")
        }
        return key
    }

    /// The reference, with the columns that it refers to. A table that does not exist yet is left to SQLite.
    func resolved(_ reference: ForeignKeyReference, columnCount: Int) throws -> ForeignKeyReference {
        guard reference.columns == nil, let key = try key(of: reference.table), key.count == columnCount else {
            return reference
        }
        var reference = reference
        reference.columns = key.map(\.name)
        return reference
    }

    /// The columns of the primary key of a table; empty without a primary key, nil if the table does not exist.
    private func key(of table: String) throws -> [Column]? {
        if table.isSameDatabaseName(as: tableName) { return try ownKey() }
        // The usual key costs one query (benchmark migrate-100); the results below also cover views.
        let pragma = "\(schema.quotedDatabaseIdentifier).table_xinfo(\(table.quotedDatabaseIdentifier))"
        let keyColumns = try Row.fetchAll(db, sql: "PRAGMA \(pragma)").map(ColumnInfo.init(row:))
            .filter { $0.primaryKeyIndex > 0 }
            .sorted(on: \.primaryKeyIndex)
        guard keyColumns.isEmpty else {
            return keyColumns.map { Column(name: $0.name, type: $0.type.typeSQL) }
        }
        guard try db.tableExists(table, in: schema) else { return nil }
        let key = try db.primaryKey(table, in: schema)
        if case .hiddenRowID = key.kind { return [] }
        let columns = try db.columns(in: table, in: schema)
        return key.columns.map { name in
            let type = columns.first { $0.name.isSameDatabaseName(as: name) }?.type ?? ""
            return Column(name: name, type: type.typeSQL)
        }
    }
}

extension String {
    /// A type in the schema as SQL; nil for none. SQLite removes the quotes of a type, so any text can be one.
    fileprivate var typeSQL: String? {
        guard !isEmpty else { return nil }
        let words = prefix { $0 != "(" }.split(separator: " ").map(String.init)
        let size = drop { $0 != "(" }
        let isPlain =
            !words.isEmpty
            && words.allSatisfy { $0.isPlainDatabaseName && !$0.endsType }
            && (size.isEmpty
                || size.hasSuffix(")") && size.dropFirst().dropLast().allSatisfy { "0123456789, ".contains($0) })
        return isPlain ? self : quotedDatabaseIdentifier
    }

    private var endsType: Bool {
        let name = foldedDatabaseName
        return BuiltInNames.columnConstraints.contains(name) || name == "always" || name == "on"
    }
}
