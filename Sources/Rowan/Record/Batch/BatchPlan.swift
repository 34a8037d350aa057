// The statements that insert many records with the same columns: one for each number of rows.

/// The plans for one set of columns.
final class BatchPlan {
    let columns: [String]
    /// The version of the schema for which the plan was made.
    let epoch: Int
    /// The maximum number of rows in a statement.
    let capacity: Int
    /// Whether a failed statement keeps the rows before the one that violates a constraint.
    let keepsRows: Bool
    /// Whether the returned rows include their rowid.
    private let returnsRowID: Bool
    private let hasRoundTrips: Bool
    /// The plans for one row, two rows, three rows...
    private var plans: [WritePlan?]

    init(_ db: Database, _ columns: [String], _ request: WriteRequest) throws {
        self.columns = columns
        returnsRowID = !request.returning.isEmpty
        hasRoundTrips = db.connection.abilities.hasRoundTrips
        let shape = hasRoundTrips ? .several : try request.statementShape(db)
        keepsRows = shape == .severalKeepingRows
        let single = try request.insertPlan(db, columns, returnsRowID: returnsRowID)
        capacity = shape == .single ? 1 : try db.maximumRowCount(of: single)
        plans = [single]
        epoch = single.epoch
    }

    /// The number of rows that the next statement inserts.
    func size(for count: Int) -> Int {
        let size = min(count, capacity)
        return hasRoundTrips ? size : 1 << (Int.bitWidth - 1 - size.leadingZeroBitCount)
    }

    /// - Parameter size: a value returned by `size(for:)`.
    func plan(ofSize size: Int, _ db: Database, _ request: WriteRequest) throws -> WritePlan {
        let index = size - 1
        while plans.count <= index { plans.append(nil) }
        if let plan = plans[index] { return plan }
        let plan = try request.insertPlan(
            db, columns, rowCount: size, returnsRowID: returnsRowID, keepsRows: keepsRows && size > 1)
        plans[index] = plan
        return plan
    }
}

extension Database {
    /// The maximum number of rows that a statement can insert.
    /// Source: https://sqlite.org/limits.html
    fileprivate func maximumRowCount(of single: WritePlan) throws -> Int {
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

extension WriteRequest {
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
        guard !isUpsert, !words.triggering.contains(name), !words.strict.contains(name),
            try db.foreignKeys(on: table.name, in: table.schema).isEmpty
        else { return .single }
        switch conflictResolution {
        // The clause of the statement would override those of the table.
        case .abort: return words.conflicting.contains(name) ? .single : .severalKeepingRows
        case .fail, .ignore: return .several
        case .replace, .rollback: return .single
        }
    }
}

extension WritePlan {
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
    var firstUnstorable: [DatabaseValue] { first { $0.contains { $0.bindingRefusal != nil } } ?? [] }
}
