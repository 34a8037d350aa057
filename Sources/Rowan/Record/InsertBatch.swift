// Rows that wait for one INSERT of several rows. Their number is a power of two: what is left at the end is a few
// smaller statements, so that a table has seven statements for all numbers of records, all of them cached.
// 64 rows: SQLite spends no less on a row of a longer statement, whose program leaves the processor's cache
// (benchmark insert-all).

@usableFromInline
final class InsertBatch {
    /// How the records go into the database.
    @usableFromInline
    enum Mode {
        /// The first record goes alone, and tells which callbacks its type has.
        case probing
        /// Each record goes alone, because of its callbacks, or because its rowid could not be told otherwise.
        case alone
        /// Many rows at once, which nobody is told of.
        case silent
        /// Many rows at once, whose rowids are known: callbacks are called, and rows are fetched.
        case numbered
    }

    @usableFromInline let db: Database
    @usableFromInline let callbacks: PersistenceCallbacks
    @usableFromInline private(set) var mode = Mode.probing
    private var insertion: Insertion
    private let fetchesRows: Bool
    /// The plans of records on their own, when their statement depends on more than the columns.
    private var ownPlans: PlanGroup?
    private var plans: BatchPlans
    private var numbering: RowNumbering?
    private var numberedEpoch = 0
    private var insertedKey = InsertedKey(rowIDColumn: nil)

    /// The plan of the waiting rows.
    @exclusivity(unchecked) private var plan: BatchPlan?
    /// The values of the waiting rows, and then arrays whose storage the next rows take over.
    @exclusivity(unchecked) private var rows: [[DatabaseValue]] = []
    @exclusivity(unchecked) private(set) var count = 0
    /// The bytes of the waiting texts and blobs: SQLite copies them.
    @exclusivity(unchecked) private var byteCount = 0
    private var rowIDs: [Int64] = []
    /// How many records are in the database.
    private var writtenCount = 0

    static let maximumRowCount = 64
    static let maximumByteCount = 1 << 20

    @usableFromInline
    init(
        _ db: Database, _ insertion: Insertion, _ callbacks: PersistenceCallbacks, returning: [any SQLSelectable] = []
    ) throws {
        self.db = db
        self.callbacks = callbacks
        self.insertion = insertion
        self.insertion.returning = returning
        fetchesRows = !returning.isEmpty
        plans = db.batchPlans(insertion)
        if self.insertion.hasOwnText { ownPlans = PlanGroup(epoch: plans.epoch) }
        let known = callbacks == .skipped ? [] : plans.callbacks
        if let known { mode = try mode(for: known) }
    }

    /// Inserts the first record, and learns which callbacks its type has.
    @usableFromInline
    func probe(_ type: any MutablePersistableRecord.Type, _ insert: () throws -> Void) throws {
        let callbacks = try db.probingCallbacks(of: type, insert)
        plans.callbacks = callbacks
        mode = try mode(for: callbacks)
    }

    private func mode(for callbacks: InsertionCallbacks) throws -> Mode {
        guard callbacks.isDisjoint(with: .beforeOrAround) else { return .alone }
        guard fetchesRows || !callbacks.isDisjoint(with: .did) else { return .silent }
        // Only SQLite knows the rowids of what an upsert updates.
        guard insertion.upsert == nil else { return .alone }
        try makeNumbering()
        return numbering == nil ? .alone : .numbered
    }

    private func makeNumbering() throws {
        numbering = try RowNumbering(db, insertion)
        // Read afterwards: reading the schema may move what is known of it.
        numberedEpoch = epoch
        insertedKey = InsertedKey(rowIDColumn: numbering?.column)
    }

    /// The insertion of a record on its own. A subclass may have another table than its base class.
    @usableFromInline
    func insertion(of type: any MutablePersistableRecord.Type) -> (Insertion, PlanGroup?) {
        guard type == insertion.record else {
            var other = insertion
            other.record = type
            return (other, ownPlans.map { _ in PlanGroup(epoch: epoch) })
        }
        if let ownPlans, ownPlans.epoch != epoch { self.ownPlans = PlanGroup(epoch: epoch) }
        return (insertion, ownPlans)
    }

    private var epoch: Int { db.connection.schemaEpoch }
}

// MARK: - Rows

extension InsertBatch {
    /// An empty container that expects the columns of the last row.
    @usableFromInline
    func makeContainer() -> PersistenceContainer {
        guard let plan else { return PersistenceContainer() }
        var values: [DatabaseValue] = []
        if count < rows.count { swap(&values, &rows[count]) }
        if values.count != plan.columns.count { values = Array(repeating: .null, count: plan.columns.count) }
        return PersistenceContainer(expecting: plan.columns, reusing: values)
    }

    /// Whether the rows that wait must be inserted before this one can wait too.
    @usableFromInline
    func isFull(for container: PersistenceContainer) -> Bool {
        guard count > 0, let plan else { return false }
        return count >= plan.capacity || byteCount > Self.maximumByteCount || !plan.expects(container)
    }

    /// Lets a row wait. The container is of no use afterwards.
    @usableFromInline
    func add(_ container: inout PersistenceContainer) throws {
        if plan?.expects(container) != true { try startRows(of: &container) }
        if count == rows.count { rows.append([]) }
        for value in container.values {
            switch value.storage {
            case .string(let text): byteCount &+= text.utf8.count
            case .blob(let data): byteCount &+= data.count
            case .null, .int64, .double: break
            }
        }
        swap(&rows[count], &container.values)
        count &+= 1
    }

    private func startRows(of container: inout PersistenceContainer) throws {
        container.finish()
        refreshPlans()
        plan = try plans.plan(for: container.columns, db, insertion)
        rows = []
    }

    /// Drops plans of another schema than the current one.
    private func refreshPlans() {
        guard plans.epoch != epoch else { return }
        let callbacks = plans.callbacks
        plans = db.batchPlans(insertion)
        plans.callbacks = callbacks
    }

    /// Inserts the rows that wait.
    @usableFromInline
    func flush() throws {
        try runChunks { plan, rows in try plan.run(rows) }
    }

    /// Runs the closure with each statement, and its rows.
    private func runChunks(_ run: (PersistencePlan, ArraySlice<[DatabaseValue]>) throws -> Void) throws {
        guard count > 0 else { return }
        guard let columns = plan?.columns else { return }
        if plans.epoch != epoch {
            refreshPlans()
            plan = try plans.plan(for: columns, db, insertion)
        }
        guard let plan else { return }
        var first = 0
        while first < count {
            let size = min(count - first, plan.capacity).roundedDownToPowerOfTwo
            let chunk = rows[first..<first + size]
            do { try run(plan.plan(ofSize: size, db, insertion), chunk) } catch {
                throw try violation(among: chunk, error)
            }
            first += size
        }
        writtenCount += count
        forgetRows()
    }

    /// The error of the one of several rows that violates a constraint: they are tried one by one. What this writes is
    /// rolled back with all the records.
    ///
    /// - Returns: the error itself, if it is another one.
    private func violation(among rows: ArraySlice<[DatabaseValue]>, _ failure: any Error) throws -> any Error {
        guard rows.count > 1 else { return located(failure, rows.startIndex) }
        guard let plan, DatabaseError.isViolation(failure) else { return failure }
        let first: Int
        switch insertion.conflictResolution {
        case .abort, .ignore, .replace: first = rows.startIndex
        // SQLite keeps the rows before the one that fails, and counts them.
        case .fail: first = min(rows.startIndex + db.changesCount, rows.endIndex)
        // Nothing can be tried in a transaction that has ended.
        case .rollback: return failure
        }
        let single = try plan.plan(ofSize: 1, db, insertion)
        for index in first..<rows.endIndex {
            do { try single.run(rows[index...index]) } catch {
                // A constraint of the table may have ended the transaction.
                return DatabaseError.isViolation(error) ? located(error, index) : failure
            }
        }
        return failure
    }

    /// The error of a record, which names its index if it violates a constraint.
    ///
    /// - Parameter index: the index of the record among those that wait.
    @usableFromInline
    func located(_ error: any Error, _ index: Int = 0) -> any Error {
        guard DatabaseError.isViolation(error), let error = error as? DatabaseError else { return error }
        return error.with(message: "\(error.message ?? "") - inserting the record at index \(writtenCount + index)")
    }

    /// A record was inserted on its own.
    @usableFromInline
    func didWriteAlone() { writtenCount += 1 }

    /// Drops the rows that wait.
    @usableFromInline
    func forgetRows() {
        count = 0
        byteCount = 0
    }
}

// MARK: - Rowids

extension InsertBatch {
    /// Gives rowids to the rows that wait.
    ///
    /// - Returns: false if the rowids that SQLite will choose can't be told.
    private func number() throws -> Bool {
        if numberedEpoch != epoch { try makeNumbering() }
        guard let plan, let numbering else { return false }
        guard let ids = try numbering.number(&rows, count: count, columns: plan.columns) else { return false }
        rowIDs = ids
        return true
    }

    /// Inserts the rows that wait, if their rowids can be told.
    @usableFromInline
    func flushNumbered() throws -> Bool {
        guard count > 0 else { return true }
        guard try number() else { return false }
        try flush()
        return true
    }

    /// Inserts the rows that wait, if their rowids can be told, and returns them in their order: SQLite promises
    /// none for the rows of RETURNING. Source: https://sqlite.org/lang_returning.html
    func fetchNumbered<T: FetchableRecord>(_ type: T.Type) throws -> [T]? {
        guard count > 0 else { return [] }
        guard try number() else { return nil }
        var found: [Int64: T] = [:]
        try runChunks { plan, rows in
            let statement = try plan.statement.idle()
            try statement.setArguments(plan.arguments(rows))
            let cursor = try RowCursor(statement, adapter: nil)
            while let row = try cursor.next() { found[row[Upsert.rowIDName]] = try T(row: row) }
        }
        return rowIDs.compactMap { found[$0] }
    }

    /// What a callback is told of a row that was inserted.
    @usableFromInline
    func success(_ index: Int) -> InsertionSuccess {
        let columns = plan?.columns ?? []
        var container = PersistenceContainer(expecting: columns, reusing: rows[index])
        container.setCount = columns.count
        return InsertionSuccess(rowID: rowIDs[index], key: insertedKey, persistenceContainer: container)
    }
}

extension Int {
    /// The largest power of two that is no larger.
    fileprivate var roundedDownToPowerOfTwo: Int { 1 << (Int.bitWidth - 1 - leadingZeroBitCount) }
}
