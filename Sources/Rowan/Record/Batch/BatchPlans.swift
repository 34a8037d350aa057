// The plans that a connection keeps for inserting many records of a type. For each set of columns, there is one plan
// per number of rows.

/// The plans of one operation on one record type.
final class BatchPlans {
    let epoch: Int
    /// The callbacks of the type; nil until the first record has been inserted.
    var callbacks: InsertionCallbacks?
    private var plans: [[String]: BatchPlan] = [:]

    init(epoch: Int) { self.epoch = epoch }

    func plan(for columns: [String], _ db: Database, _ insertion: Insertion) throws -> BatchPlan {
        if !insertion.hasOwnText, let plan = plans[columns] { return plan }
        let plan = try BatchPlan(db, columns, insertion)
        guard !insertion.hasOwnText else { return plan }
        if plans.count > 32 { plans.removeAll() }
        plans[columns] = plan
        return plan
    }
}

/// The plans for one set of columns.
final class BatchPlan {
    let columns: [String]
    /// The maximum number of rows in a statement.
    let capacity: Int
    /// Whether a failed statement keeps the rows before the one that violates a constraint.
    let keepsRows: Bool
    /// Whether the returned rows include their rowid.
    private let returnsRowID: Bool
    private let hasRoundTrips: Bool
    /// The plans for one row, two rows, three rows...
    private var plans: [PersistencePlan?]

    init(_ db: Database, _ columns: [String], _ insertion: Insertion) throws {
        self.columns = columns
        returnsRowID = !insertion.returning.isEmpty
        hasRoundTrips = db.connection.abilities.hasRoundTrips
        let shape = hasRoundTrips ? .several : try insertion.statementShape(db)
        keepsRows = shape == .severalKeepingRows
        let single = try insertion.makePlan(db, columns: columns, rowCount: 1, returnsRowID: returnsRowID)
        capacity = shape == .single ? 1 : try db.maximumRowCount(of: single)
        plans = [single]
    }

    /// Whether a container has exactly these columns.
    @inline(__always)
    func expects(_ container: PersistenceContainer) -> Bool {
        container.setCount == columns.count && container.columns.isIdentical(to: columns)
    }

    /// The number of rows that the next statement inserts.
    func size(for count: Int) -> Int {
        let size = min(count, capacity)
        return hasRoundTrips ? size : 1 << (Int.bitWidth - 1 - size.leadingZeroBitCount)
    }

    /// - Parameter size: a value returned by `size(for:)`.
    func plan(ofSize size: Int, _ db: Database, _ insertion: Insertion) throws -> PersistencePlan {
        let index = size - 1
        while plans.count <= index { plans.append(nil) }
        if let plan = plans[index] { return plan }
        let plan = try insertion.makePlan(
            db, columns: columns, rowCount: size, returnsRowID: returnsRowID, keepsRows: keepsRows && size > 1)
        plans[index] = plan
        return plan
    }
}

extension Database {
    func batchPlans(_ insertion: Insertion) -> BatchPlans {
        let key = RecordPlans.Key(
            insertion.record, insertion.upsert == nil ? .insertAll : .upsertAll, insertion.conflictResolution)
        return recordPlans.batch(for: key, epoch: connection.schemaEpoch)
    }

    /// The maximum number of rows that a statement can insert.
    /// Source: https://sqlite.org/limits.html
    fileprivate func maximumRowCount(of single: PersistencePlan) throws -> Int {
        let columnCount = single.columns.count
        guard columnCount > 0 else { return 1 }
        let parameters = maximumStatementArgumentCount - single.constants.count
        let length = connection.limit(.sqlLength)
        // `,(?,?)` for each row after the first. The limit on compound queries does not apply to VALUES.
        let rowLength = 2 * columnCount + 2
        let most = min(
            InsertBatch.maximumRowCount, parameters / columnCount,
            (length - single.sql.text.utf8.count) / rowLength + 1)
        return max(most, 1)
    }
}

/// The shapes of statements that insert many rows.
///
/// A statement that may fail after some of its rows opens its own journal, with a copy of each page it changes. In a
/// table with indexes, that costs more than putting several rows in one statement saves (benchmark insert-all-file).
private enum StatementShape {
    /// Several rows per statement.
    case several
    /// Several rows per statement. If it fails, the rows before the failure stay, which needs no journal: the savepoint
    /// around all insertions undoes them.
    case severalKeepingRows
    /// One row per statement, which also needs no journal.
    case single
}

extension Insertion {
    fileprivate func statementShape(_ db: Database) throws -> StatementShape {
        let table = record.databaseTable
        guard try db.storesRows(table.name, in: table.schema) else { return .several }
        let words = try db.definitionWords()
        let name = table.name.foldedDatabaseName
        guard try words.indexed.contains(name) || db.isWithoutRowID(table.name, in: table.schema) else {
            return .several
        }
        // A row may fail long after its insertion: in its foreign keys, in triggers, or in the update of an upsert. If
        // a value has the wrong type, SQLite keeps rows that it doesn't count.
        guard upsert == nil, !words.triggering.contains(name), !words.strict.contains(name),
            try db.foreignKeys(on: table.name, in: table.schema).isEmpty
        else { return .single }
        switch conflictResolution {
        // The clause of the statement would override those of the table.
        case .abort: return words.conflicting.contains(name) ? .single : .severalKeepingRows
        case .fail, .ignore: return .several
        case .replace, .rollback: return .single
        }
    }

    /// Whether the SQL depends on more than the type and the columns.
    var hasOwnText: Bool { !returning.isEmpty || upsert?.isDefault == false }
}

extension PersistencePlan {
    /// Inserts rows and ignores the rows that the statement returns.
    func run(_ db: Database, _ rows: ArraySlice<[DatabaseValue]>) throws {
        let use = try db.connection.use(sql)
        try DatabaseError.namingColumns(columns, rows.firstUnstorable) {
            try use.statement.run(binding: rows, then: constants)
        }
    }

    /// Checks out the statement with the values of rows as its arguments.
    func use(_ db: Database, _ rows: ArraySlice<[DatabaseValue]>) throws -> StatementUse {
        let use = try db.connection.use(sql)
        try DatabaseError.namingColumns(columns, rows.firstUnstorable) {
            try use.statement.setArguments(StatementArguments(values: rows.flatMap(\.self) + constants))
        }
        return use
    }
}

extension ArraySlice<[DatabaseValue]> {
    /// The first row with a value that can't be stored; empty if there is none.
    fileprivate var firstUnstorable: [DatabaseValue] { first { $0.contains { $0.bindingRefusal != nil } } ?? [] }
}
