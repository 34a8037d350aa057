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
        /// Many rows at once, without callbacks and containers.
        case positional
        /// Many rows at once, with known rowids: callbacks are called and rows are fetched.
        case numbered
    }

    @usableFromInline let db: Database
    @usableFromInline let callbacks: PersistenceCallbacks
    @usableFromInline private(set) var mode = Mode.probing
    private let request: WriteRequest
    /// Whether the program receives the records, which keep their rowids.
    private let keepsRowIDs: Bool
    private var write: RecordWrite
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
        _ db: Database, _ request: WriteRequest, _ callbacks: PersistenceCallbacks, keepsRowIDs: Bool = false
    ) throws {
        self.db = db
        self.callbacks = callbacks
        self.request = request
        self.keepsRowIDs = keepsRowIDs
        write = db.write(request)
        try chooseMode()
    }

    /// Inserts a record and detects the callbacks of its type.
    @usableFromInline
    func probe(_ type: any MutablePersistableRecord.Type, _ insert: () throws -> Void) throws {
        try write(of: type).probing(db, .insertion, insert)
        try chooseMode()
    }

    private func chooseMode() throws {
        if callbacks == .skipped {
            mode = try mode(for: [])
        } else if RecordCallbacks.insertion.isSubset(of: write.callbacksOfType.known) {
            mode = try mode(for: write.callbacksOfType.implemented)
        }
    }

    private func mode(for implemented: RecordCallbacks) throws -> Mode {
        guard implemented.isDisjoint(with: .beforeOrAround) else { return .alone }
        let needsRowIDs = try !request.returning.isEmpty || keepsRowIDs && request.keepsRowID(db)
        guard needsRowIDs || !implemented.isDisjoint(with: .did) else {
            return try startPositional() ? .positional : .silent
        }
        // Only SQLite can determine the rowids of the rows that an upsert updates.
        guard !request.isUpsert else { return .alone }
        try makeNumbering()
        return numbering == nil ? .alone : .numbered
    }

    private func makeNumbering() throws {
        numbering = try RowNumbering(db, request)
        // Set last, because reading the schema may change the known version.
        numberedEpoch = epoch
        insertedKey = InsertedKey(rowIDColumn: numbering?.column)
    }

    /// The write of a separate record. A subclass may have a different table than its base class.
    @usableFromInline
    func write(of type: any MutablePersistableRecord.Type) -> RecordWrite {
        guard type == request.record else {
            var other = request
            other.record = type
            return db.write(other)
        }
        renewWrite()
        return write
    }

    /// Drops the plans of an outdated schema.
    private func renewWrite() {
        if write.epoch != epoch { write = db.write(request) }
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
        return count >= plan.capacity || byteCount > Self.maximumByteCount || !container.hasOnly(plan.columns)
    }

    /// Adds a row to the waiting rows. The container must not be used afterwards.
    @usableFromInline
    func add(_ container: inout PersistenceContainer) throws {
        if let plan, container.hasOnly(plan.columns) {} else { try startRows(of: &container) }
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
        renewWrite()
        plan = try write.batchPlan(db, container.columns)
        rows = []
    }

    /// Inserts the waiting rows.
    @usableFromInline
    func flush() throws {
        try runChunks { plan, rows in try plan.run(db, rows) }
    }

    /// Calls the closure with each statement and its rows.
    private func runChunks(_ run: (WritePlan, ArraySlice<[DatabaseValue]>) throws -> Void) throws {
        guard count > 0, var plan else { return }
        // An insertion of a separate record may have renewed the write, but not this plan.
        if plan.epoch != epoch {
            renewWrite()
            plan = try write.batchPlan(db, plan.columns)
            self.plan = plan
        }
        var first = 0
        while first < count {
            let size = plan.size(for: count - first)
            let chunk = rows[first..<first + size]
            do { try run(plan.plan(ofSize: size, db, request), chunk) } catch {
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
        switch plan.keepsRows ? .fail : request.conflictResolution {
        case .abort, .ignore, .replace: first = rows.startIndex
        // SQLite keeps and counts the rows before the one that fails.
        case .fail: first = min(rows.startIndex + db.changesCount, rows.endIndex)
        // The transaction has ended, so nothing can be inserted.
        case .rollback: return failure
        }
        let single = try plan.plan(ofSize: 1, db, request)
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

// MARK: - Records by position

extension InsertBatch {
    /// The number of records to insert by position at a time.
    @usableFromInline
    var capacity: Int { plan?.capacity ?? 1 }

    private func startPositional() throws -> Bool {
        renewWrite()
        guard let layout = request.record._tableLayout else { return false }
        try write.choosePositional(db)
        guard write.positional != nil else { return false }
        plan = try write.batchPlan(db, layout.storedColumns)
        return true
    }

    /// Inserts records by position.
    ///
    /// - Parameter bind: binds the record at an index.
    /// - Returns: false if the schema has changed and the records need containers.
    @usableFromInline
    func insert(_ count: Int, _ bind: (Int, inout RecordBinder) throws -> Void) throws -> Bool {
        guard try plan?.epoch == epoch || startPositional(), let plan, let positional = write.positional else {
            mode = .silent
            return false
        }
        var first = 0
        var most = Int.max
        while first < count {
            let chunk = first..<first + plan.size(for: min(count - first, most))
            do {
                try positional.insert(db, plan.plan(ofSize: chunk.count, db, request), chunk, bind)
            } catch let overflow as BatchOverflow {
                most = overflow.count
                continue
            } catch {
                let rows = try (0..<chunk.upperBound).map { index in
                    try positional.container { try bind(index, &$0) }.values
                }
                throw try violation(among: rows[chunk], error)
            }
            first = chunk.upperBound
        }
        writtenCount += count
        return true
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
