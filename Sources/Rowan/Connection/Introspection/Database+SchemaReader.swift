// Schema information for the resolver: keys, columns and indexes of tables, from the connection's schema cache.

extension Database: SchemaReader {
    package func primaryKeyColumns(ofTable table: TableName) throws -> [String] {
        let columns = try keyInfo(of: table.name, in: table.schema).columns
        guard !columns.isEmpty else { throw DatabaseError.hiddenRowID(of: table) }
        return columns
    }

    package func keyColumns(ofTable table: TableName) throws -> [String]? {
        guard let kind = try object(table.name, in: table.schema) else { return nil }
        if kind.isView { return try viewKeyColumns(kind) }
        let columns = try keyInfo(of: table.name, in: table.schema).columns
        return columns.isEmpty ? nil : columns
    }

    package func hasRowID(_ table: TableName) throws -> Bool {
        try keyInfo(of: table.name, in: table.schema).tableHasRowID
    }

    package func rowKey(ofTable table: TableName) throws -> [String] {
        try keyInfo(of: table.name, in: table.schema).rowIDName.map { [$0] } ?? primaryKeyColumns(ofTable: table)
    }

    package func columnNames(ofTable table: TableName) throws -> [String] {
        try columnInfo(of: table.name, in: table.schema).map(\.name)
    }

    package func columnNames(of select: Select) throws -> [String] {
        var renderer = Renderer()
        renderer.write(select)
        return try connection.withStatement(renderer.text) { $0.columnNames }
    }

    package func foreignKeys(from origin: TableName, to destination: TableName) throws -> [[ColumnPair]] {
        try validateCache()
        let tables = SchemaCache.TablePair(origin: origin, destination: destination)
        if let known = schemaCache.foreignKeys[tables] { return known }
        let foreignKeys = try foreignKeys(on: origin.name, in: origin.schema, to: destination.name)
            .map { $0.mapping.map { ColumnPair(origin: $0.origin, destination: $0.destination) } }
        schemaCache.foreignKeys[tables] = foreignKeys
        return foreignKeys
    }

    package func areNotNull(_ columns: [String], ofTable table: TableName) throws -> Bool {
        guard try object(table.name, in: table.schema) != nil else { return false }
        let notNull = try columnInfo(of: table.name, in: table.schema).filter(\.isNotNull)
        return columns.allSatisfy { column in notNull.contains { $0.name.isSameDatabaseName(as: column) } }
    }

    package func isIndexed(_ table: TableName, columns: [String]) throws -> Bool {
        try validateCache()
        let key = SchemaCache.TableColumns(table: table, columns: columns)
        if let known = schemaCache.areIndexed[key] { return known }
        let answer = try findIndex(on: table, columns)
        schemaCache.areIndexed[key] = answer
        return answer
    }

    package func hasUniqueKey(_ table: TableName, columns: [String]) throws -> Bool {
        try validateCache()
        let key = SchemaCache.TableColumns(table: table, columns: columns)
        if let known = schemaCache.areUnique[key] { return known }
        let answer =
            try keyColumns(ofTable: table) != nil
            && uniqueKey(table.name, of: columns, in: table.schema, isCompared: true) != nil
        schemaCache.areUnique[key] = answer
        return answer
    }

    private func findIndex(on table: TableName, _ columns: [String]) throws -> Bool {
        let wanted = Set(columns.map(\.foldedDatabaseName))
        func leads(_ key: [String]) -> Bool {
            wanted.isSubset(of: Set(key.prefix(wanted.count).map(\.foldedDatabaseName)))
        }
        let primaryKey = try keyInfo(of: table.name, in: table.schema)
        if leads(primaryKey.columns) || wanted == [primaryKey.hiddenRowIDName] { return true }
        return try indexInfo(of: table.name, in: table.schema).contains { $0.coversWholeTable && leads($0.columns) }
    }
}

extension DatabaseError {
    /// The rows of the table can't be distinguished.
    package static func hiddenRowID(of table: TableName) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the rowid of table \(table.name) has no name because its columns are called rowid, _rowid_ and "
                + "oid: add a column INTEGER PRIMARY KEY")
    }
}
