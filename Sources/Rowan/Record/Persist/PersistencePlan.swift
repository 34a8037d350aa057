// Persistence plans: for each connection, record type and operation, the prepared statement for the columns of the last
// record, and the positions of its values. The second insertion of a type renders nothing, does not read the schema,
// and allocates no container.

/// The plans of one operation on one record type.
@usableFromInline
final class PlanGroup {
    /// The plan of the last columns, which the next record most likely uses too.
    @exclusivity(unchecked) var last: PersistencePlan?
    /// The plans of other columns, for records that do not always set the same ones.
    var others: [[String]: PersistencePlan] = [:]
    /// The values of the last container, whose storage the next one reuses.
    @exclusivity(unchecked) var spareValues: [DatabaseValue] = []
    /// Of updates: whether a callback of the type receives the columns; nil until a record has been updated.
    @exclusivity(unchecked) @usableFromInline var usesColumns: Bool?
    let epoch: Int

    init(epoch: Int) { self.epoch = epoch }

    /// An empty container that expects the columns of the last record.
    @usableFromInline
    func makeContainer() -> PersistenceContainer {
        guard let last else { return PersistenceContainer() }
        let values =
            spareValues.count == last.columns.count
            ? spareValues : Array(repeating: .null, count: last.columns.count)
        spareValues = []
        return PersistenceContainer(expecting: last.columns, reusing: values)
    }

    /// The plan for the columns of a container; nil if it does not exist yet. It is separate from `keep`: a closure
    /// that makes the plan would cost time for each record (benchmark insert-struct).
    func knownPlan(for container: inout PersistenceContainer) -> PersistencePlan? {
        // All expected columns were set, and no other: the arrays are identical.
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
    /// Whether two arrays share their storage, or have equal elements.
    func isIdentical(to other: [String]) -> Bool {
        let isShared = withUnsafeBufferPointer { a in
            other.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress && a.count == b.count }
        }
        return isShared || self == other
    }
}

/// A statement, and the positions of a container's values in it.
@usableFromInline
final class PersistencePlan {
    let table: TableName
    /// The columns of the containers that this plan persists.
    let columns: [String]
    let statement: Statement
    /// For each parameter, the index of its value in the container; nil for the order of the container.
    let order: [Int]?
    /// The statement's own values, which follow those of the container: in assignments and returned expressions.
    let constants: [DatabaseValue]
    let primaryKey: PrimaryKeyInfo
    /// Of a statement for the row with a key: the indexes of the key's values in the container.
    private let keyIndexes: ArraySlice<Int>
    let insertedKey: InsertedKey
    /// Whether the table is a view, which triggers make writable.
    let isOnView: Bool
    /// The columns that an update changes, for callbacks.
    @usableFromInline let changedColumns: Set<String>

    init(
        table: TableName, columns: [String], statement: Statement, order: [Int]?,
        constants: [DatabaseValue] = [], primaryKey: PrimaryKeyInfo, isOnView: Bool = false,
        changedColumns: Set<String> = []
    ) {
        self.constants = constants
        self.table = table
        self.isOnView = isOnView
        self.columns = columns
        self.statement = statement
        self.order = order
        self.primaryKey = primaryKey
        keyIndexes = order?.suffix(primaryKey.columns.count) ?? []
        insertedKey = InsertedKey(rowIDColumn: primaryKey.rowIDColumn)
        self.changedColumns = changedColumns
    }

    /// Whether the record has no key, which matches no row.
    func lacksKey(_ container: PersistenceContainer) -> Bool {
        keyIndexes.allSatisfy { container.values[$0].isNull }
    }

    /// Runs the statement, ignoring its rows.
    func run(_ container: PersistenceContainer) throws {
        // A function that the statement calls may insert records of this type too: they use another statement.
        try statement.idle().run(binding: container.values, order: order)
    }

    /// Binds the values for a statement whose rows are fetched.
    func prepareForFetch(_ container: PersistenceContainer) throws -> Statement {
        let statement = try statement.idle()
        try statement.setArguments(arguments(container))
        return statement
    }

    /// Calls the user's closure with the statement, which the closure must run.
    ///
    /// - Throws: SQLITE_MISUSE if the closure did not run the statement: nothing was written.
    func fetch<T>(_ container: PersistenceContainer, _ fetch: (Statement) throws -> T) throws -> T {
        let statement = try prepareForFetch(container)
        // The closure may leave rows unread: the row is written in any case.
        defer { statement.reset() }
        let runCount = statement.runCount
        let value = try fetch(statement)
        guard statement.runCount != runCount else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the closure did not run its statement: nothing was written. Fetch from the statement",
                sql: statement.sql)
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

    /// The statement of a plan, and the statement's own values.
    func planStatement(
        _ write: (inout Renderer) -> Void
    ) throws -> (statement: Statement, constants: [DatabaseValue]) {
        var renderer = Renderer()
        write(&renderer)
        return (try connection.cachedStatement(renderer.text), renderer.arguments.values)
    }
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
