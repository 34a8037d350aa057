// Rows that wait for a single INSERT of several rows. Their number is a power of two, and a few smaller statements
// insert the rest. A table needs only seven statements for any number of records, all of them cached. The limit is 64
// rows: longer statements are no faster per row because their program exceeds the processor's cache (benchmark
// insert-all). On a cluster, each statement is a round trip and inserts as many rows as possible.

@usableFromInline
final class InsertBatch {
    /// The way in which records are inserted.
    @usableFromInline
    enum Mode {
        /// The first record separately, to detect the callbacks of its type.
        case probing
        /// Each record separately, because of its callbacks or because its rowid can't be determined otherwise.
        case alone
        /// Many rows at once, without callbacks.
        case silent
        /// Many rows at once, with known rowids: callbacks are called and rows are fetched.
        case numbered
    }

    @usableFromInline let db: Database
    @usableFromInline let callbacks: PersistenceCallbacks
    @usableFromInline private(set) var mode = Mode.probing
    private var insertion: Insertion
    private let fetchesRows: Bool
    /// Whether the program receives the records, which keep their rowids.
    private let keepsRowIDs: Bool
    /// The plans of separate records, if their statement depends on more than the columns.
    private var ownPlans: PlanGroup?
    private var plans: BatchPlans
    private var numbering: RowNumbering?
    private var numberedEpoch = 0
    private var insertedKey = InsertedKey(rowIDColumn: nil)

    /// The plan of the waiting rows.
    @exclusivity(unchecked) private var plan: BatchPlan?
    /// The values of the waiting rows, followed by arrays whose storage the next rows reuse.
    @exclusivity(unchecked) private var rows: [[DatabaseValue]] = []
    @exclusivity(unchecked) private(set) var count = 0
    /// The size of the waiting text and blobs in bytes: SQLite copies them.
    @exclusivity(unchecked) private var byteCount = 0
    private var rowIDs: [Int64] = []
    /// The number of inserted records.
    private var writtenCount = 0

    static let maximumRowCount = 64
    static let maximumByteCount = 1 << 20

    @usableFromInline
    init(
        _ db: Database, _ insertion: Insertion, _ callbacks: PersistenceCallbacks, returning: [any SQLSelectable] = [],
        keepsRowIDs: Bool = false
    ) throws {
        self.db = db
        self.callbacks = callbacks
        self.insertion = insertion
        self.insertion.returning = returning
        fetchesRows = !returning.isEmpty
        self.keepsRowIDs = keepsRowIDs
        plans = db.batchPlans(insertion)
        if self.insertion.hasOwnText { ownPlans = PlanGroup(epoch: plans.epoch) }
        let known = callbacks == .skipped ? [] : plans.callbacks
        if let known { mode = try mode(for: known) }
    }

    /// Inserts the first record and detects the callbacks of its type.
    @usableFromInline
    func probe(_ type: any MutablePersistableRecord.Type, _ insert: () throws -> Void) throws {
        let callbacks = try db.probingCallbacks(of: type, insert)
        plans.callbacks = callbacks
        mode = try mode(for: callbacks)
    }

    private func mode(for callbacks: InsertionCallbacks) throws -> Mode {
        guard callbacks.isDisjoint(with: .beforeOrAround) else { return .alone }
        guard try fetchesRows || keepsRowIDs && insertion.keepsRowID(db) || !callbacks.isDisjoint(with: .did) else {
            return .silent
        }
        // Only SQLite can determine the rowids of the rows that an upsert updates.
        guard insertion.upsert == nil else { return .alone }
        try makeNumbering()
        return numbering == nil ? .alone : .numbered
    }

    private func makeNumbering() throws {
        numbering = try RowNumbering(db, insertion)
        // Set last, because reading the schema may change the known version.
        numberedEpoch = epoch
        insertedKey = InsertedKey(rowIDColumn: numbering?.column)
    }

    /// The insertion of a separate record. A subclass may have a different table than its base class.
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

    /// Whether the waiting rows must be inserted before this one is added.
    @usableFromInline
    func isFull(for container: PersistenceContainer) -> Bool {
        guard count > 0, let plan else { return false }
        return count >= plan.capacity || byteCount > Self.maximumByteCount || !plan.expects(container)
    }

    /// Adds a row to the waiting rows. The container must not be used afterwards.
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

    /// Drops the plans of an outdated schema.
    private func refreshPlans() {
        guard plans.epoch != epoch else { return }
        let callbacks = plans.callbacks
        plans = db.batchPlans(insertion)
        plans.callbacks = callbacks
    }

    /// Inserts the waiting rows.
    @usableFromInline
    func flush() throws {
        try runChunks { plan, rows in try plan.run(db, rows) }
    }

    /// Calls the closure with each statement and its rows.
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
            let size = plan.size(for: count - first)
            let chunk = rows[first..<first + size]
            do { try run(plan.plan(ofSize: size, db, insertion), chunk) } catch {
                throw try violation(among: chunk, error)
            }
            first += size
        }
        writtenCount += count
        forgetRows()
    }

    /// Finds the row that violates a constraint by inserting the rows one by one. The caller rolls back these
    /// insertions with those of all records.
    ///
    /// - Returns: the original error if it is not a constraint violation.
    private func violation(among rows: ArraySlice<[DatabaseValue]>, _ failure: any Error) throws -> any Error {
        guard rows.count > 1 else { return located(failure, rows.startIndex) }
        guard let plan, DatabaseError.isViolation(failure) else { return failure }
        let first: Int
        switch plan.keepsRows ? .fail : insertion.conflictResolution {
        case .abort, .ignore, .replace: first = rows.startIndex
        // SQLite keeps and counts the rows before the one that fails.
        case .fail: first = min(rows.startIndex + db.changesCount, rows.endIndex)
        // The transaction has ended, so nothing can be inserted.
        case .rollback: return failure
        }
        let single = try plan.plan(ofSize: 1, db, insertion)
        for index in first..<rows.endIndex {
            do { try single.run(db, rows[index...index]) } catch {
                // A constraint of the table may have ended the transaction. SQLite may also count rows other than those
                // before the one that fails: this is then a different violation.
                return DatabaseError.isViolation(error) && isSame(error, failure) ? located(error, index) : failure
            }
        }
        return failure
    }

    private func isSame(_ error: any Error, _ other: any Error) -> Bool {
        guard let error = error as? DatabaseError, let other = other as? DatabaseError else { return false }
        return error.extendedResultCode == other.extendedResultCode && error.message == other.message
    }

    /// The error of a record. For a constraint violation, it contains the index of the record.
    ///
    /// - Parameter index: the index of the record among the waiting records.
    @usableFromInline
    func located(_ error: any Error, _ index: Int = 0) -> any Error {
        guard DatabaseError.isViolation(error), let error = error as? DatabaseError else { return error }
        return error.with(message: "\(error.message ?? "") - inserting the record at index \(writtenCount + index)")
    }

    /// Counts a record that was inserted separately.
    @usableFromInline
    func didWriteAlone() { writtenCount += 1 }

    /// Drops the waiting rows.
    @usableFromInline
    func forgetRows() {
        count = 0
        byteCount = 0
    }
}

// MARK: - Rowids

extension InsertBatch {
    /// Assigns rowids to the waiting rows.
    ///
    /// - Returns: false if SQLite's choice of rowids can't be predicted.
    private func number() throws -> Bool {
        if numberedEpoch != epoch { try makeNumbering() }
        guard let plan, let numbering else { return false }
        guard let ids = try numbering.number(db, &rows, count: count, columns: plan.columns) else { return false }
        rowIDs = ids
        return true
    }

    /// Inserts the waiting rows if their rowids can be predicted.
    @usableFromInline
    func flushNumbered() throws -> Bool {
        guard count > 0 else { return true }
        guard try number() else { return false }
        try flush()
        return true
    }

    /// Inserts the waiting rows if their rowids can be predicted, and returns them in their order: SQLite guarantees no
    /// order for the rows of RETURNING.
    /// Source: https://sqlite.org/lang_returning.html
    func fetchNumbered<T: FetchableRecord>(_ type: T.Type) throws -> [T]? {
        guard count > 0 else { return [] }
        guard try number() else { return nil }
        var found: [Int64: T] = [:]
        try runChunks { plan, rows in
            let cursor = try RowCursor(plan.use(db, rows), adapter: nil)
            while let row = try cursor.next() {
                guard let rowID = Upsert.rowID(row) else { continue }
                found[rowID] = try T(row: row)
            }
        }
        return rowIDs.compactMap { found[$0] }
    }

    /// The information about an inserted row that callbacks receive.
    @usableFromInline
    func success(_ index: Int) -> InsertionSuccess {
        let columns = plan?.columns ?? []
        var container = PersistenceContainer(expecting: columns, reusing: rows[index])
        container.setCount = columns.count
        return InsertionSuccess(rowID: rowIDs[index], key: insertedKey, persistenceContainer: container)
    }
}
