// The statement of a write, for records with certain columns: its SQL, the order of its parameters, and what it returns.

/// A statement that writes the values of a container.
@usableFromInline
final class WritePlan {
    let table: TableName
    /// The columns of the containers that this plan writes.
    let columns: [String]
    let sql: PreparedSQL
    /// The version of the schema for which the plan was made.
    let epoch: Int
    /// Whether the statement returns rows.
    let returnsRows: Bool
    /// For each parameter, the index of its value in the container; nil for the order of the container.
    let order: [Int]?
    /// The statement's own values, in assignments and returned expressions. They follow those of the container.
    let constants: [DatabaseValue]
    let primaryKey: PrimaryKeyInfo
    /// For a statement on the row with a key: the indexes of the key's values in the container.
    private let keyIndexes: ArraySlice<Int>
    let insertedKey: InsertedKey
    /// Whether the table is a view, which triggers make writable.
    let isOnView: Bool
    let isUpsert: Bool
    /// The columns that an update changes, for callbacks.
    @usableFromInline let changedColumns: Set<String>
    /// Whether an update leaves out columns of the record, which the table may have after the next schema change.
    let leavesOutColumns: Bool

    init(
        table: TableName, columns: [String], statement: PlannedStatement, order: [Int]?, primaryKey: PrimaryKeyInfo,
        isOnView: Bool = false, isUpsert: Bool = false, changedColumns: Set<String> = [], leavesOutColumns: Bool = false
    ) {
        (sql, epoch, returnsRows, constants) = (
            statement.sql, statement.epoch, statement.returnsRows, statement.constants
        )
        self.table = table
        self.isOnView = isOnView
        self.isUpsert = isUpsert
        self.columns = columns
        self.order = order
        self.primaryKey = primaryKey
        keyIndexes = order?.suffix(primaryKey.columns.count) ?? []
        insertedKey = InsertedKey(primaryKey)
        self.changedColumns = changedColumns
        self.leavesOutColumns = leavesOutColumns
    }

    /// Whether the record has no key and so matches no row.
    func lacksKey(_ container: PersistenceContainer) -> Bool {
        keyIndexes.allSatisfy { container.values[$0].isNull }
    }

    /// Whether all columns of the key are set.
    func hasKey(_ container: PersistenceContainer) -> Bool {
        !keyIndexes.isEmpty && keyIndexes.allSatisfy { !container.values[$0].isNull }
    }

    // MARK: The statement

    /// Runs the statement, ignoring its rows.
    func run(_ db: Database, _ container: PersistenceContainer) throws {
        // A function that the statement calls may also write records of this type. These use another statement.
        try DatabaseError.namingColumns(columns, container.values) {
            try db.connection.borrow(sql) { try $0.run(binding: container.values, order: order) }
        }
    }

    /// Runs the statement to completion and decodes the row that it returns.
    func fetchRow<T>(
        _ db: Database, _ container: PersistenceContainer, _ decode: (Row) throws -> T
    ) throws -> T? {
        let cursor = try RowCursor(use(db, container), adapter: nil)
        guard let row = try cursor.next() else { return nil }
        let value = try decode(row)
        while try cursor.next() != nil {}
        return value
    }

    /// Calls the user's closure with the statement, which the closure must run.
    ///
    /// - Throws: SQLITE_MISUSE if the closure did not run the statement, in which case nothing was written.
    func fetch<T>(
        _ db: Database, _ container: PersistenceContainer, _ fetch: (Statement) throws -> T
    ) throws -> T {
        // The closure may leave rows unread. The row is written in any case, and the statement is reset when the use
        // ends.
        let use = try use(db, container)
        let runCount = use.statement.runCount
        let value = try fetch(use.statement)
        guard use.statement.runCount != runCount else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the closure did not run its statement, so nothing was written: fetch from the statement",
                sql: sql.text)
        }
        return value
    }

    /// Checks out the statement with the values as its arguments.
    func use(_ db: Database, _ container: PersistenceContainer) throws -> StatementUse {
        let use = try db.connection.use(sql)
        try DatabaseError.namingColumns(columns, container.values) {
            let values = order.map { $0.map { container.values[$0] } } ?? container.values
            try use.statement.setArguments(StatementArguments(values: values + constants))
        }
        return use
    }

    // MARK: The row with a key

    /// Runs an update of the row with the key of the record.
    ///
    /// - Returns: whether there is such a row, even if a trigger ignored the update.
    @usableFromInline
    func update(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        try changesRow(db, container) || wasIgnored(db, container)
    }

    /// Runs a statement on the row with the key of the record.
    ///
    /// - Returns: whether it changed the row.
    func changesRow(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        if try isMissing(db, container) { return false }
        try run(db, container)
        // The triggers of a view make the changes, which SQLite does not count.
        return isOnView || db.changesCount > 0
    }

    /// Runs an update of the row with the key of the record, by the user's closure.
    ///
    /// - Returns: nil if there is no such row.
    func fetchUpdated<T>(
        _ db: Database, _ container: PersistenceContainer, _ fetch: (Statement) throws -> T
    ) throws -> T? {
        if try isMissing(db, container) { return nil }
        let value = try self.fetch(db, container, fetch)
        return try isOnView || db.changesCount > 0 || wasIgnored(db, container) ? value : nil
    }

    private func isMissing(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        try lacksKey(container) || isOnView && !hasRow(db, container)
    }

    /// Whether an update that changed no row found one because a trigger or a constraint of the table ignored it.
    func wasIgnored(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        guard !lacksKey(container) else { return false }
        let (words, name) = (try db.definitionWords(), table.name.foldedDatabaseName)
        return try (words.ignoring.contains(name) || words.conflicting.contains(name)) && hasRow(db, container)
    }

    private func hasRow(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        let exists = try db.planStatement { $0.writeExists(table: table, keyColumns: primaryKey.columns) }
        let use = try db.connection.use(exists.sql)
        let key = primaryKey.columns.map { container.value(forColumn: $0) ?? .null }
        return try Bool.fetchOne(use.statement, arguments: StatementArguments(values: key)) ?? false
    }
}

extension PersistenceContainer {
    /// Whether exactly these columns are set.
    @inline(__always)
    func hasOnly(_ columns: [String]) -> Bool {
        setCount == columns.count && self.columns.isIdentical(to: columns)
    }

    /// A container with columns alone, for a plan.
    init(columns: [String]) {
        self.init(expecting: columns, reusing: Array(repeating: .null, count: columns.count))
        setCount = columns.count
    }
}

extension [String] {
    /// Whether two arrays share their storage or have equal elements.
    func isIdentical(to other: [String]) -> Bool {
        guard count == other.count else { return false }
        // Not key paths: the library evaluates them at run time, for each record.
        let start = withUnsafeBufferPointer { $0.baseAddress }
        return start == other.withUnsafeBufferPointer { $0.baseAddress } || self == other
    }
}
