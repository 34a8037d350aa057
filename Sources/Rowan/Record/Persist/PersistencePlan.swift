// Persistence plans: the SQL for the columns of the last record and the positions of its values, for each connection,
// record type and operation. The second insertion of a type renders nothing, does not read the schema, and allocates no
// container.

/// The plans of one operation on one record type.
@usableFromInline
final class PlanGroup {
    /// The plan of the last columns, which the next record most likely also uses.
    @exclusivity(unchecked) var last: PersistencePlan?
    /// The plans of other columns, for records that do not always set the same ones.
    var others: [[String]: PersistencePlan] = [:]
    /// The values of the last container, whose storage the next one reuses.
    @exclusivity(unchecked) var spareValues: [DatabaseValue] = []
    /// For updates: whether a callback of the type receives the columns; nil until a record has been updated.
    @exclusivity(unchecked) @usableFromInline var usesColumns: Bool?
    /// For insertions: whether a callback of the type runs before the statement; nil until it is known.
    @exclusivity(unchecked) var callsBeforeInsertion: Bool?
    /// For generated records: whether the callbacks that the type implements are known.
    @exclusivity(unchecked) var isProbed = false
    /// For upserts: whether a callback of the type receives the rowid; nil until a record has been upserted.
    @exclusivity(unchecked) var usesRowID: Bool?
    let epoch: Int

    init(epoch: Int) { self.epoch = epoch }

    /// An empty container that expects the columns of the last record.
    @usableFromInline
    func makeContainer() -> PersistenceContainer {
        guard let last else { return PersistenceContainer() }
        var values: [DatabaseValue] = []
        swap(&values, &spareValues)
        if values.count != last.columns.count { values = Array(repeating: .null, count: last.columns.count) }
        return PersistenceContainer(expecting: last.columns, reusing: values)
    }

    /// The plan for the columns of a container; nil if it does not exist yet. Separate from `keep`, because a closure
    /// that makes the plan would cost time for each record (benchmark insert-struct).
    func knownPlan(for container: inout PersistenceContainer) -> PersistencePlan? {
        // Exactly the expected columns were set: the arrays are identical.
        if let last, container.setCount == last.columns.count, container.columns.isIdentical(to: last.columns) {
            return last
        }
        container.finish()
        guard let plan = others[container.columns] else { return nil }
        last = plan
        return plan
    }

    /// Stores a new plan.
    func keep(_ plan: PersistencePlan) -> PersistencePlan {
        if others.count > 32 { others.removeAll() }
        others[plan.columns] = plan
        last = plan
        return plan
    }
}

extension [String] {
    /// Whether two arrays share their storage or have equal elements.
    func isIdentical(to other: [String]) -> Bool {
        let isShared = withUnsafeBufferPointer { a in
            other.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress && a.count == b.count }
        }
        return isShared || self == other
    }
}

/// The SQL of a statement and the positions of a container's values in it.
@usableFromInline
final class PersistencePlan {
    let table: TableName
    /// The columns of the containers that this plan persists.
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
    /// The columns that an update changes, for callbacks.
    @usableFromInline let changedColumns: Set<String>
    /// Whether an update leaves out columns of the record, which the table may have after the next schema change.
    let leavesOutColumns: Bool

    init(
        table: TableName, columns: [String], statement: PlannedStatement, order: [Int]?, primaryKey: PrimaryKeyInfo,
        isOnView: Bool = false, changedColumns: Set<String> = [], leavesOutColumns: Bool = false
    ) {
        (sql, epoch, returnsRows, constants) = (
            statement.sql, statement.epoch, statement.returnsRows, statement.constants
        )
        self.table = table
        self.isOnView = isOnView
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

    /// Runs the statement, ignoring its rows.
    func run(_ db: Database, _ container: PersistenceContainer) throws {
        // A function that the statement calls may also insert records of this type. These use another statement.
        try DatabaseError.namingColumns(columns, container.values) {
            try db.connection.borrow(sql) { try $0.run(binding: container.values, order: order) }
        }
    }

    /// Checks out the statement with the values as its arguments.
    func use(_ db: Database, _ container: PersistenceContainer) throws -> StatementUse {
        let use = try db.connection.use(sql)
        try DatabaseError.namingColumns(columns, container.values) {
            try use.statement.setArguments(arguments(container))
        }
        return use
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

    private func arguments(_ container: PersistenceContainer) -> StatementArguments {
        let values = order.map { $0.map { container.values[$0] } } ?? container.values
        return StatementArguments(values: values + constants)
    }
}

/// The purpose of a group of plans.
@usableFromInline
enum PlanOperation: UInt8 {
    case insert, update, upsert, delete, exists, insertAll, upsertAll
}

extension Database {
    /// The plans of an operation on a record type.
    ///
    /// - Parameter detail: additional properties that determine the statement, beyond the type and the columns.
    @usableFromInline
    func planGroup(
        _ type: any MutablePersistableRecord.Type, _ operation: PlanOperation,
        _ conflictResolution: Database.ConflictResolution = .abort, detail: String? = nil
    ) -> PlanGroup {
        let key = RecordPlans.Key(type, operation, conflictResolution, detail: detail)
        return recordPlans.group(for: key, epoch: connection.schemaEpoch)
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

extension Database.ConflictResolution {
    var planCode: UInt8 {
        switch self {
        case .abort: 0
        case .rollback: 1
        case .fail: 2
        case .ignore: 3
        case .replace: 4
        }
    }

    /// The word after OR; nil for ABORT, SQLite's default.
    var clause: String? { self == .abort ? nil : rawValue }
}
