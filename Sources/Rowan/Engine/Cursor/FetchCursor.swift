// The only cursor over a statement, for rows, values and records. It leases its statement: meanwhile, the cache returns
// another statement for the same SQL, and any other execution of this one is refused. `@inlinable`: benchmarks
// fetch-index and fetch-int; elements must decode in the loop of the user's module.

public import CSQLite

/// A cursor over the rows of a statement.
public protocol DatabaseCursor<Element>: Cursor {
    /// The statement.
    var statement: Statement { get }
}

extension DatabaseCursor {
    /// The SQL of the statement.
    public var sql: String { statement.sql }
    /// The arguments of the statement.
    public var arguments: StatementArguments { statement.arguments }
    /// The number of columns of the rows.
    public var columnCount: Int { statement.columnCount }
    /// The names of the columns.
    public var columnNames: [String] { statement.columnNames }
}

/// A cursor of rows. Each step returns the same row object: copy the rows that you keep.
public typealias RowCursor = FetchCursor<RowElements>
/// A cursor of the values in the leftmost column.
public typealias DatabaseValueCursor<Value: DatabaseValueConvertible> = FetchCursor<ValueElements<Value>>
/// A cursor of the values in the leftmost column.
public typealias FastDatabaseValueCursor<Value: DatabaseValueConvertible & StatementColumnConvertible> =
    FetchCursor<ValueElements<Value>>

/// A cursor of elements that are decoded from the rows of a statement.
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
    /// The error that ended the cursor: an error is not the end of the rows.
    @exclusivity(unchecked) private var failure: (any Error)?
    /// The number of the access that started the cursor, which can't continue in another access.
    @exclusivity(unchecked) @usableFromInline var accessNumber = 0
    /// The rows, if all of them were fetched in advance because other queries needed them.
    @usableFromInline package let preloaded: RowBatch?
    @exclusivity(unchecked) private var preloadedIndex = 0

    /// Creates a cursor over a statement whose arguments are set.
    ///
    /// - Throws: SQLITE_MISUSE if another cursor uses the statement.
    @usableFromInline
    package init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
        try statement.lease()
        self.statement = statement
        self.adapter = adapter
        preloaded = nil
    }

    /// Creates a cursor over rows that a statement has already fetched.
    package init(_ statement: Statement, rows: RowBatch) {
        self.statement = statement
        adapter = nil
        preloaded = rows
        isDone = true
    }

    deinit {
        row?.stopMoving()
        guard !isDone else { return }
        statement.connection.end(.lease, of: statement)
    }

    /// The next element, or nil at the end.
    ///
    /// - Throws: the error of SQLite, a decoding error, or `CancellationError`. After an error of SQLite, each call
    ///   throws the same error again.
    @inlinable
    public func next() throws -> Element? {
        guard let row = try nextRow() else { return nil }
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
    /// - Precondition: the same access has been running since the last row.
    @inlinable
    package func advance(_ row: Row) throws -> Bool {
        let code = sqlite3_step(statement.sqliteStatement)
        guard code == SQLITE_ROW else { return try finish(code) }
        return true
    }

    /// Handles a step that returned no row: the end, or an error.
    @usableFromInline
    func finish(_ code: CInt) throws -> Bool {
        do { try statement.finish(code) } catch { throw fail(error) }
        finish()
        return false
    }

    /// Ends the cursor: each later step throws the error again.
    private func fail(_ error: any Error) -> any Error {
        failure = error
        finish()
        return error
    }

    /// The error of a cursor whose statement was reset, or that is used in another access.
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

    /// How to renew a statement that depends on the schema beyond its SQL: the schema also determines the meaning of
    /// its columns.
    package struct Renewal {
        /// The number of columns of the statement.
        package let columnCount: Int
        /// The statement for the current schema, and its adapter; nil if the caller starts again.
        package let renew: (() throws -> (Statement, (any RowAdapter)?))?

        package init(columnCount: Int, renew: (() throws -> (Statement, (any RowAdapter)?))?) {
            self.columnCount = columnCount
            self.renew = renew
        }
    }

    /// Checks, at the first step, that the schema has not changed since the statement was made.
    package func check(_ renewal: Renewal) { self.renewal = renewal }

    private func firstStep() throws -> Bool {
        try statement.start()
        guard let renewal else { return try statement.firstStep() }
        self.renewal = nil
        let epoch = statement.epoch
        do {
            let isRow = try statement.firstStep()
            if statement.epoch == epoch, statement.layout.names.count == renewal.columnCount { return isRow }
            statement.reset()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // Did the recompilation of the statement fail?
            guard !statement.compiles else { throw error }
            statement.connection.schemaDidMove()
        }
        guard let renew = renewal.renew else { throw SchemaMoved() }
        let (fresh, adapter) = try renew()
        try fresh.lease()
        statement.endLease()
        (statement, self.adapter) = (fresh, adapter)
        try statement.start()
        return try statement.firstStep()
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
        do { return try adapter.mapping(of: storage.columns).layout } catch {
            // No step follows: a running statement would hold its snapshot of the database.
            statement.reset()
            throw error
        }
    }

    /// Ends the cursor before its last row. A statement that writes runs to its end: outside a transaction it commits
    /// there, and an error of the commit would be lost.
    @usableFromInline
    package func finishWriting(_ row: Row) throws {
        guard preloaded == nil, !statement.isReadonly else { return }
        while try advance(row) {}
    }

    /// A column of the statement that the row object may hide.
    ///
    /// - Precondition: the row is the current one.
    package func hiddenValue(_ column: Int, ofRow row: Int) -> DatabaseValue {
        if let preloaded { return preloaded.value(column, ofRow: row) }
        return DatabaseValue(sqliteStatement: statement.sqliteStatement, index: CInt(column))
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
        statement.endLease()
    }
}

/// The schema has changed since the request was resolved: resolve it again.
package struct SchemaMoved: Error {
    /// The error of a request whose schema changed again after it was resolved again.
    package static var repeatedly: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: "the schema of the database keeps changing while the request is prepared: try again")
    }
}
