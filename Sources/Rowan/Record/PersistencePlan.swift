// Persistence plans: per connection, record type and operation, the statement that was prepared for the columns of
// the last record, and where each value goes. The second insertion of a type renders nothing, looks nothing up in
// the schema, and allocates no container.

/// The plans of one operation on one record type.
@usableFromInline
final class PlanGroup {
    /// The plan of the last columns, which the next record most likely has.
    @exclusivity(unchecked) var last: PersistencePlan?
    /// The plans of other columns, for records that do not always set the same ones.
    var others: [[String]: PersistencePlan] = [:]
    /// The values of the last container, whose storage the next one takes over.
    @exclusivity(unchecked) var spareValues: [DatabaseValue] = []
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

    /// The plan for the columns of a container, nil if there is none yet. Apart from `keep`: a closure that makes
    /// the plan would be paid for by each record (benchmark insert-struct).
    func knownPlan(for container: inout PersistenceContainer) -> PersistencePlan? {
        // All expected columns came, and no other: the arrays are one.
        if let last, container.setCount == last.columns.count, container.columns.isIdentical(to: last.columns) {
            return last
        }
        container.finish()
        guard let plan = others[container.columns] else { return nil }
        last = plan
        return plan
    }

    /// Keeps a new plan.
    func keep(_ plan: PersistencePlan) -> PersistencePlan {
        if others.count > 32 { others.removeAll() }
        others[plan.columns] = plan
        last = plan
        return plan
    }
}

extension [String] {
    /// Whether two arrays share their storage, or have the same elements.
    func isIdentical(to other: [String]) -> Bool {
        let isShared = withUnsafeBufferPointer { a in
            other.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress && a.count == b.count }
        }
        return isShared || self == other
    }
}

/// A statement, and where the values of a container go.
@usableFromInline
final class PersistencePlan {
    let table: TableName
    /// The columns of the containers that this plan persists.
    let columns: [String]
    let statement: Statement
    /// For each parameter, the index of its value in the container; nil for the order of the container.
    let order: [Int]?
    /// The values of the statement itself, after those of the container: in assignments and returned expressions.
    let constants: [DatabaseValue]
    let primaryKey: PrimaryKeyInfo
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
        insertedKey = InsertedKey(rowIDColumn: primaryKey.rowIDColumn)
        self.changedColumns = changedColumns
    }

    /// Runs the statement, whose rows, if any, are dropped.
    func run(_ container: PersistenceContainer) throws {
        // A function of the statement may insert records of this type too: they take another statement.
        try statement.idle().run(binding: container.values, order: order)
    }

    /// Binds the values for a statement whose rows are fetched.
    func prepareForFetch(_ container: PersistenceContainer) throws -> Statement {
        let statement = try statement.idle()
        try statement.setArguments(arguments(container))
        return statement
    }

    /// Calls a closure of the user with the statement, which it must run.
    ///
    /// - Throws: SQLITE_MISUSE if the closure did not run the statement: nothing was written.
    func fetch<T>(_ container: PersistenceContainer, _ fetch: (Statement) throws -> T) throws -> T {
        let statement = try prepareForFetch(container)
        // The statement may have rows left that the closure has no need for: the row is written all the same.
        defer { statement.reset() }
        let runCount = statement.runCount
        let value = try fetch(statement)
        guard statement.runCount != runCount else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the closure did not run the statement that it was given: nothing was written",
                sql: statement.sql)
        }
        return value
    }

    private func arguments(_ container: PersistenceContainer) -> StatementArguments {
        let values = order.map { $0.map { container.values[$0] } } ?? container.values
        return StatementArguments(values: values + constants)
    }
}

/// What a group of plans is for.
@usableFromInline
enum PlanOperation: UInt8 {
    case insert, update, upsert, delete, exists, insertAll, upsertAll
}

extension Database {
    /// The plans of an operation on a record type.
    ///
    /// - Parameter detail: what the statement depends on, beyond the type and the columns.
    @usableFromInline
    func planGroup(
        _ type: any MutablePersistableRecord.Type, _ operation: PlanOperation,
        _ conflictResolution: Database.ConflictResolution = .abort, detail: String? = nil
    ) -> PlanGroup {
        let key = RecordPlans.Key(type, operation, conflictResolution, detail: detail)
        return recordPlans.group(for: key, epoch: connection.schemaEpoch)
    }

    /// A statement for a plan, and the values that its text brings along.
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

    /// The word after OR; nil for ABORT, which SQLite does by default.
    var clause: String? { self == .abort ? nil : rawValue }
}
