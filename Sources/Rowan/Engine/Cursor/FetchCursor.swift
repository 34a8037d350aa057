// The library's only cursor over a statement, for rows, values and records. It owns its statement from its creation
// until it finishes: meanwhile, any other execution of this statement is rejected. `@inlinable`: benchmarks fetch-index
// and fetch-int; elements must decode in the loop of the user's module.

public import RowanSQLite

/// A cursor of rows. Each step returns the same row object: copy the rows you keep.
public typealias RowCursor = FetchCursor<RowElements>
/// A cursor of the values in the leftmost column.
public typealias DatabaseValueCursor<Value: DatabaseValueConvertible> = FetchCursor<ValueElements<Value>>
/// A cursor of the values in the leftmost column.
public typealias FastDatabaseValueCursor<Value: DatabaseValueConvertible & StatementColumnConvertible> =
    FetchCursor<ValueElements<Value>>

/// A cursor of elements decoded from the rows of a statement.
public final class FetchCursor<Decoding: RowDecoding>: DatabaseCursor {
    /// The type that a row decodes to.
    public typealias Element = Decoding.Decoded

    /// The statement.
    @exclusivity(unchecked) public private(set) var statement: Statement
    @exclusivity(unchecked) private var adapter: (any RowAdapter)?
    /// Resolves the request again if the schema changes before the first step.
    @exclusivity(unchecked) private var renewal: Renewal?
    @exclusivity(unchecked) @usableFromInline var row: Row?
    @exclusivity(unchecked) @usableFromInline var isRunning = false
    @exclusivity(unchecked) @usableFromInline var isDone = false
    /// The error that stopped the cursor, which is not the end of the rows.
    @exclusivity(unchecked) private var failure: (any Error)?
    /// The number of the access that started the cursor, which can't be used in another access.
    @exclusivity(unchecked) @usableFromInline var accessNumber = 0
    /// The rows if all were fetched in advance because other queries needed them.
    @usableFromInline package let preloaded: RowBatch?
    @exclusivity(unchecked) private var preloadedIndex = 0
    /// The owner of the statement.
    @exclusivity(unchecked) private var owner: StatementOwner

    /// Creates a cursor over a statement prepared by the program, whose arguments are set.
    ///
    /// - Throws: SQLITE_MISUSE if another cursor uses the statement.
    @usableFromInline
    package convenience init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
        try self.init(statement, .program, adapter)
    }

    /// Creates a cursor over a pooled statement, whose arguments are set.
    @usableFromInline
    package convenience init(_ use: consuming StatementUse, adapter: (any RowAdapter)?) throws {
        let statement = use.statement
        try self.init(statement, .cursor(use), adapter)
    }

    /// Creates a cursor over the statement of a prepared request, whose arguments are set.
    ///
    /// - Parameter use: the use of the request; nil for a statement prepared by the program.
    package convenience init(
        _ statement: Statement, of use: SharedStatementUse?, adapter: (any RowAdapter)?
    ) throws {
        try self.init(statement, StatementOwner(use), adapter)
    }

    private init(_ statement: Statement, _ owner: consuming StatementOwner, _ adapter: (any RowAdapter)?) throws {
        try statement.beginRun()
        self.statement = statement
        self.owner = owner
        self.adapter = adapter
        preloaded = nil
    }

    /// Creates a cursor over rows that a statement has already fetched.
    ///
    /// - Parameter use: the use of the request; nil for a statement prepared by the program.
    package init(_ statement: Statement, of use: SharedStatementUse?, rows: RowBatch) {
        self.statement = statement
        owner = StatementOwner(use)
        adapter = nil
        preloaded = rows
        isDone = true
    }

    deinit {
        if let row { Unmanaged.passUnretained(row)._withUnsafeGuaranteedRef { $0.stopMoving() } }
        // The owner finishes its use afterwards.
        guard !isDone else { return }
        // Unretained for speed: every fetch of one row finishes here.
        Unmanaged.passUnretained(statement)._withUnsafeGuaranteedRef { $0.connection.endRun(of: $0) }
    }

    /// The next element, or nil at the end.
    ///
    /// - Throws: SQLite's error, a decoding error, or `CancellationError`. After an SQLite error, each call throws the
    ///   same error again.
    @inlinable
    public func next() throws -> Element? {
        guard let row = try nextRow() else { return nil }
        return try Decoding.element(of: row)
    }

    /// The statement, for adopters of the protocol.
    public var _statement: Statement { statement }

    /// Whether the cursor has no more elements. Setting it to true finishes the cursor.
    public var _isDone: Bool {
        get { preloaded.map { preloadedIndex >= $0.count } ?? isDone }
        set {
            guard newValue, !_isDone else { return }
            if let preloaded { preloadedIndex = preloaded.count }
            guard !isDone else { return }
            statement.connection.endRun(of: statement)
            finish()
        }
    }

    /// The element of the current row.
    public func _element(sqliteStatement: SQLiteStatement) throws -> Element {
        guard let row else { throw lostAccessError() }
        return try Decoding.element(of: row)
    }

    /// The row object, moved to the next row.
    @inlinable
    package func nextRow() throws -> Row? {
        guard isRunning else { return try firstRow() }
        guard statement.connection.accessNumber == accessNumber else { throw lostAccessError() }
        return try advance(row.unsafelyUnwrapped) ? row : nil
    }

    /// Moves the row object of this cursor to the next row.
    ///
    /// - Precondition: the same access has been running since the previous row.
    @inlinable
    package func advance(_ row: Row) throws -> Bool {
        let code = sqlite3_step(statement.handle)
        guard code == SQLITE_ROW else { return try finish(code) }
        return true
    }

    /// Handles a step that returned no row: the end or an error.
    @usableFromInline
    func finish(_ code: CInt) throws -> Bool {
        do { try statement.finish(code) } catch { throw fail(error) }
        finish()
        return false
    }

    /// Stops the cursor: each later step throws the error again.
    private func fail(_ error: any Error) -> any Error {
        failure = error
        finish()
        return error
    }

    /// The error of a cursor whose statement was reset or that is used in another access.
    @usableFromInline
    func lostAccessError() -> DatabaseError {
        guard statement.connection.isAccessible, statement.connection.hasOnlyReset(since: accessNumber) else {
            return .outsideOfAccess
        }
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the cursor can't continue because its transaction was rolled back: fetch again",
            sql: statement.sql)
    }

    /// Renews a statement whose columns a request has mapped to records according to the schema: the same SQL may have
    /// other columns in another schema.
    package struct Renewal {
        /// A statement for the current schema, with its arguments.
        package typealias Renewed = (statement: Statement, use: SharedStatementUse?, adapter: (any RowAdapter)?)

        /// The number of columns of the statement.
        package let columnCount: Int
        /// Prepares the request again; nil if the caller starts over.
        package let renew: (() throws -> Renewed)?

        package init(columnCount: Int, renew: (() throws -> Renewed)?) {
            self.columnCount = columnCount
            self.renew = renew
        }
    }

    /// Checks at the first step that the schema has not changed since the statement was prepared.
    package func check(_ renewal: Renewal) { self.renewal = renewal }

    private func firstStep() throws -> Bool {
        guard let renewal else {
            do {
                return try Unmanaged.passUnretained(statement)._withUnsafeGuaranteedRef {
                    try $0.start()
                    return try $0.firstStep()
                }
            } catch let error as DatabaseError where error.isMovedStatement && canRunAgain {
                return try firstStepOfRemade()
            }
        }
        try statement.start()
        self.renewal = nil
        let epoch = statement.epoch
        do {
            let isRow = try statement.firstStep()
            if statement.epoch == epoch, statement.layout.names.count == renewal.columnCount { return isRow }
            statement.reset()
        } catch let error as DatabaseError
            where canRunAgain && (error.resultCode == .SQLITE_ERROR || error.isMovedStatement)
        {
            // Did recompiling the statement fail?
            guard error.isMovedStatement || !statement.compiles else { throw error }
            statement.connection.schemaDidMove()
        }
        guard let renew = renewal.renew else { throw SchemaMoved() }
        return try firstStep(renew())
    }

    /// The first step of a statement that replaces the current one.
    private func firstStep(_ fresh: Renewal.Renewed) throws -> Bool {
        try fresh.statement.beginRun()
        statement.didEndRun()
        (statement, adapter) = (fresh.statement, fresh.adapter)
        owner = StatementOwner(fresh.use)
        try statement.start()
        return try statement.firstStep()
    }

    /// Whether the transaction of a failed step is still active.
    private var canRunAgain: Bool {
        statement.connection.transaction.refusal(of: statement.transactionOperation) == nil
    }

    /// The first step of a statement whose columns change in another schema. Only a remote statement is prepared again.
    ///
    /// Outside a transaction, the schema may change each time.
    private func firstStepOfRemade(attempts: Int = 20) throws -> Bool {
        let fresh = try statement.connection.prepare(statement.sql)
        try fresh.setArguments(statement.storedArguments)
        do {
            return try firstStep((fresh, use: nil, adapter))
        } catch let error as DatabaseError where error.isMovedStatement && canRunAgain && attempts > 1 {
            return try firstStepOfRemade(attempts: attempts - 1)
        }
    }

    @usableFromInline
    package func firstRow() throws -> Row? {
        if let preloaded { return nextRow(of: preloaded) }
        guard !isDone else {
            if let failure { throw failure }
            return nil
        }
        do {
            guard try firstStep() else {
                finish()
                return nil
            }
            isRunning = true
            accessNumber = statement.connection.accessNumber
            let storage = RowStorage(live: statement)
            let row = Row(layout: try layout(of: storage), storage: storage)
            row.isMoved = true
            self.row = row
            return row
        } catch {
            throw fail(error)
        }
    }

    private func layout(of storage: RowStorage) throws -> ColumnLayout {
        guard let adapter else { return storage.columns }
        do { return try adapter.layout(of: storage.columns) } catch {
            // No step follows, and a running statement would keep its snapshot of the database.
            statement.reset()
            throw error
        }
    }

    /// Stops the cursor before its last row. A statement that writes runs to completion: outside a transaction it then
    /// commits, and an error from the commit would be lost.
    @usableFromInline
    package func finishWriting(_ row: Row) throws {
        guard preloaded == nil, !statement.isReadonly else { return }
        while try advance(row) {}
    }

    /// A column of the statement that the row object may hide.
    ///
    /// - Precondition: the row is the current one.
    package func hiddenColumn(_ column: Int, ofRow row: Int) -> ColumnValue {
        if let preloaded { return .packed(preloaded.packed(column, ofRow: row), strict: false) }
        return .statement(statement.handle, index: CInt(column), strict: false)
    }

    private func nextRow(of rows: RowBatch) -> Row? {
        guard preloadedIndex < rows.count else {
            row?.stopMoving()
            return nil
        }
        defer { preloadedIndex += 1 }
        if let row {
            rows.move(row, to: preloadedIndex)
            return row
        }
        let next = rows.row(at: preloadedIndex)
        next.isMoved = true
        row = next
        return next
    }

    @usableFromInline
    func finish() {
        renewal = nil
        row?.stopMoving()
        isRunning = false
        isDone = true
        statement.didEndRun()
    }
}

/// Thrown if the schema has changed since the request was resolved: resolve it again.
@usableFromInline
package struct SchemaMoved: Error {
    /// Resolves and runs a request. If the schema has changed in the meantime, the closure is called again, once.
    ///
    /// - Throws: SQLITE_SCHEMA if the schema has changed again.
    @usableFromInline
    package static func retrying<Value>(_ body: () throws -> Value) throws -> Value {
        for _ in 1...2 {
            do { return try body() } catch is SchemaMoved {}
        }
        throw DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: "the schema of the database keeps changing while the request is prepared: try again")
    }
}
