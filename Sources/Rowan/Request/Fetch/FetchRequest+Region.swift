// The regions of requests: what their statements read, restricted to the rows that their conditions specify.

extension FetchRequest {
    /// The region that the request reads, with the associations that it includes.
    ///
    /// ```swift
    /// try Player.filter(id: 1).select(\.name).databaseRegion(db)   // player(id,name)[1]
    /// ```
    ///
    /// - Throws: the error of a request that can't be prepared.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try db.regionOfPreparedRequest { try makePreparedRequest(db, forSingleResult: false) }
    }
}

extension Table: DatabaseRegionConvertible {
    /// The whole table. The region of a table that shows the content of a full-text index, such as an fts5vocab table,
    /// also contains the full-text table.
    ///
    /// ```swift
    /// try Table("player").databaseRegion(db)   // player(*)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``. The table need not exist.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        let known = try db.isTable(tableName, in: schemaName) || db.isView(tableName, in: schemaName)
        // As spelled in the schema.
        let table = known ? try db.existingTable(tableName, in: schemaName) : nil
        return db.connection.withShownTables(
            DatabaseRegion(
                StatementProfile.Table(
                    schema: table?.schemaID.name ?? schemaName ?? "main", name: table?.name ?? tableName)))
    }
}

extension ResolvedPrefetch {
    /// The region of the associated rows.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try db.regionOfPreparedRequest { try db.prepare { try Resolver(db).query(relation) } }
    }
}

extension Database {
    fileprivate func regionOfPreparedRequest(_ prepare: () throws -> PreparedRequest) throws -> DatabaseRegion {
        // Recorded, to find out which rows the request reads.
        let (prepared, access) = try recordingRegion { try prepare() }
        var region = access.union(prepared.statement.databaseRegion)
        for prefetch in prepared.prefetches { region.formUnion(try prefetch.databaseRegion(self)) }
        return region
    }

    /// The rows to which the conditions of a query restrict its statement, if they specify any.
    func rowRestriction(_ select: Select, _ statement: Statement) throws -> RowRestriction? {
        guard case .table(let name) = select.source, select.readsOnlySource else { return nil }
        return try rowRestriction(statement, of: name.name, in: name.schema) { select.rowIDs(named: $0) }
    }

    /// The row to which a key restricts a statement, if the key is the rowid.
    package func rowRestriction(
        _ statement: Statement, key: DatabaseValue, of table: String, in schemaName: String?
    ) throws -> RowRestriction? {
        // If the rowid is not the key, its only name is `rowid`.
        try rowRestriction(statement, of: table, in: schemaName) { names in
            names.contains { !$0.isSameDatabaseName(as: "rowid") } ? key.asRowIDs : nil
        }
    }

    private func rowRestriction(
        _ statement: Statement, of table: String, in schemaName: String?, _ rowIDs: (_ names: [String]) -> Set<Int64>?
    ) throws -> RowRestriction? {
        try connection.unwatched {
            guard try isTable(table, in: schemaName) else { return nil }
            guard let rowIDs = try rowIDs(rowIDNames(of: table, in: schemaName)) else { return nil }
            let id = try existingTable(table, in: schemaName)
            return RowRestriction(rowIDs, of: .init(schema: id.schemaID.name, name: id.name), in: statement)
        }
    }
}

extension DatabaseValue {
    /// The rowids that equal the value; nil if SQLite may convert it.
    package var asRowIDs: Set<Int64>? {
        switch storage {
        case .null: []
        case .int64(let rowID): [rowID]
        case .double, .string, .blob: nil
        }
    }
}
