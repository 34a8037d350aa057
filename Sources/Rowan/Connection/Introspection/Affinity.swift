// SQLite's interpretation of a column's declared type.

/// The affinity of a column: the storage class that its values are converted to.
/// <https://sqlite.org/datatype3.html#determination_of_column_affinity>
package enum Affinity: String {
    case integer = "INTEGER"
    case text = "TEXT"
    case blob = "BLOB"
    case real = "REAL"
    case numeric = "NUMERIC"

    package init(declaredType: String) {
        let type = declaredType.foldedDatabaseName
        func contains(_ words: String...) -> Bool { words.contains { type.contains($0) } }
        self =
            if contains("int") {
                .integer
            } else if contains("char", "clob", "text") {
                .text
            } else if type.isEmpty || contains("blob") {
                .blob
            } else if contains("real", "floa", "doub") {
                .real
            } else {
                .numeric
            }
    }

    /// Whether the other operand of a comparison is converted to a number.
    /// <https://sqlite.org/datatype3.html#type_conversions_prior_to_comparison>
    fileprivate var isNumeric: Bool {
        switch self {
        case .integer, .real, .numeric: true
        case .text, .blob: false
        }
    }
}

extension Database {
    package func compareAlike(_ pairs: [ColumnPair], origin: TableName, destination: TableName) throws -> Bool {
        try pairs.allSatisfy { pair in
            guard let origin = try comparison(of: pair.origin, in: origin),
                let destination = try comparison(of: pair.destination, in: destination)
            else { return true }
            return origin.affinity == destination.affinity
                && origin.collation.isSameDatabaseName(as: destination.collation)
        }
    }

    package func enforced(
        _ pairs: [ColumnPair], from origin: TableName, to destination: TableName
    ) throws -> [ColumnPair] {
        try validateCache()
        let tables = SchemaCache.TablePair(origin: origin, destination: destination)
        if let known = schemaCache.enforced[tables]?[pairs] { return known }
        let enforced = try pairs.map { pair in
            guard let foreign = try comparison(of: pair.origin, in: origin),
                let key = try comparison(of: pair.destination, in: destination)
            else { return pair }
            let collation = foreign.collation.isSameDatabaseName(as: key.collation) ? nil : key.collation
            let isNumeric = key.affinity.isNumeric && !foreign.affinity.isNumeric
            guard collation != nil || isNumeric else { return pair }
            return ColumnPair(
                origin: pair.origin, destination: pair.destination,
                conversion: KeyConversion(foreign: .origin, collation: collation, isNumeric: isNumeric))
        }
        schemaCache.enforced[tables, default: [:]][pairs] = enforced
        return enforced
    }

    /// The comparison that SQLite uses between the keys of associated rows and those of their origin.
    package func keyComparison(_ tables: KeyTables?) throws -> KeyComparison {
        guard let tables else { return .similar }
        let comparisons = try tables.columns.map { pair throws -> KeyComparison in
            guard let origin = try comparison(of: pair.origin, in: tables.origin),
                let destination = try comparison(of: pair.destination, in: tables.destination)
            else { return .similar }
            // The key's collation if it differs, otherwise that of the associated rows: `destination IN (…)`.
            return switch (pair.foreignConversion?.collation ?? destination.collation).foldedDatabaseName {
            case "binary": origin.affinity == destination.affinity ? .exact : .similar
            case "nocase", "rtrim": .similar
            default: .custom
            }
        }
        return comparisons.max() ?? .exact
    }

    /// The comparison that SQLite uses for a column; nil if the column is not in a table of the schema.
    private func comparison(
        of column: String, in table: TableName
    ) throws -> (affinity: Affinity, collation: String)? {
        guard try isTable(table.name, in: table.schema) else { return nil }
        let table = try existingTable(table.name, in: table.schema)
        return try connection.columnType(column, of: table.name, in: table.schemaID.name)
            .map { (try affinity(declaredType: $0.declared, in: table), $0.collation) }
    }

    /// The affinity of a column. In STRICT tables, ANY converts no value. <https://sqlite.org/stricttables.html>
    package func affinity(declaredType: String, in table: DatabaseObjectID) throws -> Affinity {
        try declaredType.isSameDatabaseName(as: "ANY") && isStrict(table) ? .blob : Affinity(declaredType: declaredType)
    }

    /// Whether a table rejects values of other types. <https://sqlite.org/stricttables.html>
    package func isStrict(_ table: DatabaseObjectID) throws -> Bool {
        // Without the word, no query is needed: older versions of SQLite have no such list.
        guard try definitionWords().strict.contains(table.name.foldedDatabaseName) else { return false }
        let sql = "SELECT strict FROM pragma_table_list WHERE schema = ? AND name = ?"
        return try Bool.fetchOne(self, sql: sql, arguments: [table.schemaID.name, table.name]) ?? false
    }
}

/// The comparison that SQLite uses between the keys of associated rows and those of their origin.
package enum KeyComparison: Comparable {
    /// Equal keys are identical values.
    case exact
    /// Keys may be equal through a conversion (1 and '1') or one of SQLite's collations ('a' and 'A').
    case similar
    /// Keys are compared by a collation of the program.
    case custom
}
