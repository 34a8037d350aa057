// The statements of writes.

import RowanSQLText

extension WriteRequest {
    /// The plan for records with the columns of a container.
    ///
    /// - Parameter implemented: the callbacks that the type may implement.
    func makePlan(
        _ db: Database, _ container: PersistenceContainer, _ implemented: RecordCallbacks
    ) throws -> WritePlan {
        switch operation {
        case .insert, .upsert:
            let columns = container.columns
            return try insertPlan(
                db, columns, returnsRowID: isUpsert && upsertReturnsRowID(db, columns, implemented))
        case .update(_, let changes):
            return try updatePlan(db, container, changes?.names)
        case .delete:
            return try keyPlan(db, container) { $0.writeDelete(table: $1, keyColumns: $2) }
        case .exists:
            return try keyPlan(db, container) { $0.writeExists(table: $1, keyColumns: $2) }
        }
    }

    // MARK: Insertions

    /// - Parameters:
    ///   - returnsRowID: whether the statement also returns the rowid of each row, after the other returned columns.
    ///   - keepsRows: whether a failed statement keeps the rows before the one that violates a constraint.
    func insertPlan(
        _ db: Database, _ columns: [String], rowCount: Int = 1, returnsRowID: Bool, keepsRows: Bool = false
    ) throws -> WritePlan {
        let table = record.databaseTable
        guard !isUpsert || !columns.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "cannot upsert into table \(table.name): the record stores no column, so insert it")
        }
        let primaryKey = try key(db, columns)
        var query = InsertQuery(
            table: table, columns: columns, conflictResolution: (keepsRows ? .fail : conflictResolution).clause)
        query.rowCount = rowCount
        var terms = Resolver(db, aggregates: .correlated).terms(of: record.databaseRelation)
        if case .upsert(let upsert) = operation {
            query.upsert = try (upsert ?? Upsert()).clause(&terms, columns, primaryKey)
        }
        query.returning = try ReturnedColumns(returning.map(\.sqlSelection), &terms)
        if returnsRowID {
            let name = try primaryKey.returnedRowIDName.orThrow(DatabaseError.hiddenRowID(of: table))
            query.returning.selection.append(SQLSelection(.expression(SQLExpression(.column(name, .none)))))
        }
        return WritePlan(
            table: table, columns: columns, statement: try db.planStatement { $0.write(query) }, order: nil,
            primaryKey: primaryKey, isUpsert: isUpsert)
    }

    /// Whether an upsert returns the rowid. SQLite keeps returned rows in a table of its own, which is four times as
    /// slow.
    private func upsertReturnsRowID(
        _ db: Database, _ columns: [String], _ implemented: RecordCallbacks
    ) throws -> Bool {
        guard try key(db, columns).tableHasRowID else { return false }
        return try !returning.isEmpty || !implemented.isDisjoint(with: .receivingRowID) || keepsRowID(db)
    }

    /// The primary key of the table.
    ///
    /// - Throws: SQLITE_ERROR with the SQL of an insertion if there is no such table.
    private func key(_ db: Database, _ columns: [String]) throws -> PrimaryKeyInfo {
        do { return try db.insertedKey(record.databaseTable) } catch let error as DatabaseError where error.sql == nil {
            var renderer = Renderer()
            renderer.write(InsertQuery(table: record.databaseTable, columns: columns, conflictResolution: nil))
            throw error.with(sql: renderer.text)
        }
    }

    // MARK: Updates

    /// - Parameter names: the columns to update; nil for all.
    private func updatePlan(
        _ db: Database, _ container: PersistenceContainer, _ names: Set<String>?
    ) throws -> WritePlan {
        let table = record.databaseTable
        let (primaryKey, keyIndexes) = try rowKey(db, container)
        let wanted = try names.map { try updatedIndexes(db, $0, container) } ?? Array(container.columns.indices)
        let stored = try db.configuration.strictColumns ? nil : db.assignableColumns(of: table)
        let values = wanted.filter { !keyIndexes.contains($0) }
        var changed = values.filter { stored?.contains(container.columns[$0].foldedDatabaseName) ?? true }
        let leavesOutColumns = changed.count < values.count
        // The record and the table have only the key in common. Assigning the key to itself reveals whether the row
        // exists.
        if changed.isEmpty { changed = [keyIndexes[0]] }
        var terms = Resolver(db, aggregates: .correlated).terms(of: record.databaseRelation)
        let returning = try ReturnedColumns(returning.map(\.sqlSelection), &terms)
        let statement = try db.planStatement { renderer in
            renderer.writeUpdate(
                table: table, conflictResolution: conflictResolution.clause,
                columns: changed.map { container.columns[$0] }, keyColumns: primaryKey.columns)
            renderer.write(returning, of: table)
        }
        return WritePlan(
            table: table, columns: container.columns, statement: statement, order: changed + keyIndexes,
            primaryKey: primaryKey, isOnView: try db.isView(table.name, in: table.schema),
            changedColumns: names ?? Set(container.columns), leavesOutColumns: leavesOutColumns)
    }

    private func updatedIndexes(
        _ db: Database, _ columns: Set<String>, _ container: PersistenceContainer
    ) throws -> [Int] {
        try columns.compactMap { column in
            let index = container.index(ofColumn: column)
            guard index != nil || !db.configuration.strictColumns else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "\(record) does not encode column \"\(column)\"")
            }
            return index
        }.sorted()
    }

    // MARK: Keys

    /// The primary key of the table, and the indexes of its columns in a container.
    ///
    /// - Throws: a ``RecordError`` if the record does not encode them, so that it has no row.
    private func rowKey(_ db: Database, _ container: PersistenceContainer) throws -> (PrimaryKeyInfo, [Int]) {
        let table = record.databaseTable
        let primaryKey = try db.keyInfo(of: table.name, in: table.schema)
        let indexes = primaryKey.columns.compactMap(container.index(ofColumn:))
        guard !indexes.isEmpty, indexes.count == primaryKey.columns.count else {
            let key = primaryKey.columns.map { ($0, container.value(forColumn: $0) ?? .null) }
            throw RecordError.recordNotFound(
                databaseTableName: table.name, key: Dictionary(key, uniquingKeysWith: { first, _ in first }))
        }
        return (primaryKey, indexes)
    }

    /// The plan of a statement whose parameters are the columns of the primary key.
    private func keyPlan(
        _ db: Database, _ container: PersistenceContainer, _ write: (inout Renderer, TableName, [String]) -> Void
    ) throws -> WritePlan {
        let table = record.databaseTable
        let (primaryKey, keyIndexes) = try rowKey(db, container)
        return WritePlan(
            table: table, columns: container.columns,
            statement: try db.planStatement { write(&$0, table, primaryKey.columns) }, order: keyIndexes,
            primaryKey: primaryKey, isOnView: try db.isView(table.name, in: table.schema))
    }
}

extension PrimaryKeyInfo {
    /// The name of the rowid in `RETURNING`: `rowid` if no column has this name.
    fileprivate var returnedRowIDName: String? { hiddenRowIDName == "rowid" ? "rowid" : rowIDName }
}

extension Database {
    /// The primary key of a table. A view has no key to insert into, but its triggers may use one.
    func insertedKey(_ table: TableName) throws -> PrimaryKeyInfo {
        if try isView(table.name, in: table.schema), try keyColumns(ofTable: table) == nil {
            return PrimaryKeyInfo(kind: .columns([], tableHasRowID: false), columnNames: [])
        }
        return try keyInfo(of: table.name, in: table.schema)
    }

    /// The folded names of the columns of a table; nil for a virtual table, whose hidden columns can also be assigned.
    fileprivate func assignableColumns(of table: TableName) throws -> Set<String>? {
        guard try !isVirtualTable(table.name, in: table.schema) else { return nil }
        let names = Set(try columnInfo(of: table.name, in: table.schema).map(\.name.foldedDatabaseName))
        let hasRowID = try storesRows(table.name, in: table.schema) && !isWithoutRowID(table.name, in: table.schema)
        return hasRowID ? names.union(BuiltInNames.rowIDs) : names
    }

    /// Compiles the statement of a plan.
    func planStatement(_ write: (inout Renderer) -> Void) throws -> PlannedStatement {
        var renderer = Renderer()
        write(&renderer)
        let use = try connection.use(renderer.text)
        return PlannedStatement(
            sql: use.sql, epoch: connection.schemaEpoch, returnsRows: use.statement.columnCount > 0,
            constants: renderer.arguments.values)
    }
}

/// The SQL of a compiled plan, and the values that it contains.
struct PlannedStatement {
    let sql: PreparedSQL
    let epoch: Int
    let returnsRows: Bool
    let constants: [DatabaseValue]
}
