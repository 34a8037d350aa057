// The SQL of a fetch by primary key, found without rendering: one per connection and record type.

/// The prepared fetch by primary key of a record type.
final class KeyPlan {
    let sql: PreparedSQL
    /// The column of the key, for records with their own stored form of keys.
    let column: String
    /// Whether the key is the only argument: the selection may have others.
    let isKeyAlone: Bool
    let epoch: Int

    init(sql: PreparedSQL, column: String, isKeyAlone: Bool, epoch: Int) {
        self.sql = sql
        self.column = column
        self.isKeyAlone = isKeyAlone
        self.epoch = epoch
    }
}

extension TableRecord {
    /// Checks out the statement that fetches by primary key, with the key bound.
    @usableFromInline
    static func keyStatement<Key: DatabaseValueConvertible>(_ db: Database, _ key: Key) throws -> StatementUse {
        let plan = try keyPlan(db)
        guard plan.isKeyAlone else { return try unplannedKeyStatement(db, key) }
        let value = storedValue(of: key, forColumn: plan.column)
        let use = try db.connection.use(plan.sql)
        try use.statement.setSingleArgument(value)
        if db.connection.isRecordingReads {
            use.statement.rowRestriction = try db.rowRestriction(
                use.statement, key: value, of: databaseTableName, in: databaseSchemaName)
        }
        return use
    }

    /// The key as the record stores it. Whether a type has a strategy costs a look-up in the runtime, which numbers
    /// don't need: a strategy applies to dates, data and UUIDs.
    private static func storedValue<Key: DatabaseValueConvertible>(
        of key: Key, forColumn column: String
    ) -> DatabaseValue {
        let value = key.databaseValue
        if case .int64 = value.storage { return value }
        return Key.isStoredByStrategy ? storedKey(key, forColumn: column) : value
    }

    /// Apart from ``keyStatement(_:_:)``, which would look up the metadata of `Optional<Key>` even without it.
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

    private static func keyPlan(_ db: Database) throws -> KeyPlan {
        let id = ObjectIdentifier(Self.self)
        let plans = db.recordPlans
        if let known = plans.keyPlans[id], known.epoch == db.connection.schemaEpoch { return known }
        let plan = try makeKeyPlan(db)
        // Set at the end, because reading the schema may change the known version.
        plans.keyPlans[id] = plan
        return plan
    }

    private static func makeKeyPlan(_ db: Database) throws -> KeyPlan {
        let columns = try db.primaryKeyColumns(ofTable: databaseTable)
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: RequestError.compositeKey(table: databaseTableName, columns: columns).description)
        }
        // Any key will do: the statement depends only on the columns.
        let use = try preparedUse(db, 0)
        return KeyPlan(
            sql: use.sql, column: columns[0], isKeyAlone: use.statement.parameterCount == 1,
            epoch: db.connection.schemaEpoch)
    }
}
