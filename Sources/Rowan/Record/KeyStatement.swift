// The statement of a fetch by primary key, found without rendering: one per connection and record type.

/// The prepared fetch by primary key of a record type.
final class KeyPlan {
    let statement: Statement
    /// The column of the key, for records with their own stored form of keys.
    let column: String
    /// Whether the key is the only argument: the selection may have others.
    let isKeyAlone: Bool
    let epoch: Int

    init(statement: Statement, column: String, isKeyAlone: Bool, epoch: Int) {
        self.statement = statement
        self.column = column
        self.isKeyAlone = isKeyAlone
        self.epoch = epoch
    }
}

extension TableRecord {
    /// The statement that fetches by primary key, with the key bound.
    @usableFromInline
    static func keyStatement<Key: DatabaseValueConvertible>(_ db: Database, _ key: Key) throws -> Statement {
        let id = ObjectIdentifier(Self.self)
        let plan: KeyPlan
        let plans = db.recordPlans
        if let known = plans.keyPlans[id], known.epoch == db.connection.schemaEpoch, !known.statement.isLeased {
            plan = known
        } else {
            plan = try makeKeyPlan(db)
            // Set at the end, because reading the schema may change the known version.
            plans.keyPlans[id] = plan
        }
        guard plan.isKeyAlone else {
            return try filter(key: key).makePreparedRequest(db, forSingleResult: true).statement
        }
        let value = Key.isStoredByStrategy ? _storedKey(key, forColumn: plan.column) : key.databaseValue
        try plan.statement.setSingleArgument(value)
        if db.connection.isRecordingReads {
            plan.statement.rowRestriction = try db.rowRestriction(
                plan.statement, key: value, of: databaseTableName, in: databaseSchemaName)
        }
        return plan.statement
    }

    private static func makeKeyPlan(_ db: Database) throws -> KeyPlan {
        let columns = try db.primaryKey(databaseTableName, in: databaseSchemaName).columns
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: RequestError.compositeKey(table: databaseTableName, columns: columns).description)
        }
        // Any key will do: the statement depends only on the columns.
        let request = filter(key: 0)
        let statement = try request.makePreparedRequest(db, forSingleResult: true).statement
        return KeyPlan(
            statement: statement, column: columns[0], isKeyAlone: statement.parameterCount == 1,
            epoch: db.connection.schemaEpoch)
    }
}
