// The SQL of a fetch or deletion by primary key, found without rendering. There is one per connection and record type.

/// The prepared statement by primary key of a record type.
final class KeyPlan {
    let sql: PreparedSQL
    /// The column of the key, for records with their own stored form of keys.
    let column: String
    /// Whether the key is the only argument of the statement: a selection may have others.
    let isKeyEnough: Bool
    /// Whether the columns are those of a generated record type, which is read without a row.
    let hasPositions: Bool
    let epoch: Int

    init(sql: PreparedSQL, column: String, isKeyEnough: Bool, hasPositions: Bool, epoch: Int) {
        self.sql = sql
        self.column = column
        self.isKeyEnough = isKeyEnough
        self.hasPositions = hasPositions
        self.epoch = epoch
    }
}

extension TableRecord {
    /// Checks out the statement that fetches by primary key, with the key bound.
    @usableFromInline
    static func keyStatement<Key: DatabaseValueConvertible>(_ db: Database, _ key: Key) throws -> StatementUse {
        let plan = try keyPlan(db)
        guard plan.isKeyEnough, let value = storedValue(of: key, forColumn: plan.column) else {
            return try unplannedKeyStatement(db, key)
        }
        let use = try db.connection.use(plan.sql)
        try use.statement.setSingleArgument(value)
        if db.connection.isRecordingReads {
            use.statement.rowRestriction = try db.rowRestriction(
                use.statement, key: value, of: databaseTableName, in: databaseSchemaName)
        }
        return use
    }

    /// Calls the closure with the row of a key, if there is one, without a cursor (benchmark point-read-record).
    ///
    /// - Returns: false if the columns of the statement differ from those of the layout, or if the schema has changed.
    @usableFromInline
    static func readRow<Key: DatabaseValueConvertible>(
        _ db: Database, _ key: Key, _ layout: RecordLayout, _ decode: (RecordColumns) throws -> Void
    ) throws -> Bool {
        guard try keyPlan(db).hasPositions else { return false }
        let use = try keyStatement(db, key)
        let epoch = db.connection.schemaEpoch
        do {
            try use.statement.start()
            let isRow = try use.statement.firstStep()
            guard db.connection.schemaEpoch == epoch else { return false }
            guard isRow else { return true }
            try decode(RecordColumns(use.statement, layout))
            return true
        } catch  where db.connection.hasMovedSchema(since: epoch) { return false }
    }

    /// The key as the record stores it; nil if it is an expression that its type chooses. Integers and text are stored
    /// unchanged: getting an expression from their types would allocate.
    private static func storedValue<Key: DatabaseValueConvertible>(
        of key: Key, forColumn column: String
    ) -> DatabaseValue? {
        if _tableLayout?.hasStorages == true { return storedKey(key, forColumn: column) }
        if Key.self == Int64.self || Key.self == Int.self || Key.self == String.self { return key.databaseValue }
        return switch key.sqlExpression.node {
        case .value(let value): value
        case .storable(let value): storedKey(value.value, forColumn: column)
        default: nil
        }
    }

    /// Separate from ``keyStatement(_:_:)``, which would otherwise always look up the metadata of `Optional<Key>`.
    @inline(never)
    private static func unplannedKeyStatement<Key: DatabaseValueConvertible>(
        _ db: Database, _ key: Key
    ) throws -> StatementUse {
        try preparedUse(db, key)
    }

    private static func preparedUse(_ db: Database, _ key: some DatabaseValueConvertible) throws -> StatementUse {
        let request = try filter(key: key).makePreparedRequest(db, forSingleResult: true)
        guard let use = request.use?.take() else { return try db.connection.use(request.statement.sql) }
        return use
    }

    /// Deletes the row with a key.
    ///
    /// - Returns: whether the row existed.
    static func deleteRow<Key: DatabaseValueConvertible>(_ db: Database, _ key: Key) throws -> Bool {
        let plan = try deletionPlan(db)
        guard plan.isKeyEnough, let value = storedValue(of: key, forColumn: plan.column) else {
            return try filter(key: key).deleteOne(db)
        }
        let use = try db.connection.use(plan.sql)
        try use.statement.setSingleArgument(value)
        try use.statement.runToEnd()
        return db.changesCount > 0
    }

    private static func keyPlan(_ db: Database) throws -> KeyPlan {
        let state = db.recordPlans.state(of: Self.self)
        if let known = state.fetchByKey, known.epoch == db.connection.schemaEpoch { return known }
        let plan = try makeKeyPlan(db) { try preparedUse(db, 0) }
        state.fetchByKey = plan
        return plan
    }

    private static func deletionPlan(_ db: Database) throws -> KeyPlan {
        // Another connection may have changed the schema. A deletion, unlike a fetch, can't be repeated.
        try db.validateCache()
        let state = db.recordPlans.state(of: Self.self)
        if let known = state.deletionByKey, known.epoch == db.connection.schemaEpoch { return known }
        // The triggers of a view make its changes, which SQLite does not count, so its rows are counted instead.
        let isView = try db.isView(databaseTable.name, in: databaseTable.schema)
        let plan = try makeKeyPlan(db, isUsable: !isView) { try db.use(filter(key: 0).deleteQuery(db, returning: [])) }
        state.deletionByKey = plan
        return plan
    }

    /// - Parameter statement: the statement for a key. Any key will do because the statement depends only on the
    ///   columns.
    private static func makeKeyPlan(
        _ db: Database, isUsable: Bool = true, _ statement: () throws -> StatementUse
    ) throws -> KeyPlan {
        let columns = try db.primaryKeyColumns(ofTable: databaseTable)
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: RequestError.compositeKey(table: databaseTableName, columns: columns).description)
        }
        let use = try statement()
        let statement = use.statement
        let isKeyEnough = isUsable && statement.parameterCount == 1
        let hasPositions =
            isKeyEnough && !statement.rowSource.isStrict
            && _tableLayout.map { statement.layout.hasPositions(of: $0) } ?? false
        return KeyPlan(
            sql: use.sql, column: columns[0], isKeyEnough: isKeyEnough, hasPositions: hasPositions,
            epoch: db.connection.schemaEpoch)
    }
}
