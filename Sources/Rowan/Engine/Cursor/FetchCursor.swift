// The one cursor over a statement, for rows, values and records. It holds a lease on its statement: while it
// lives, the cache gives another statement for the same SQL, and an execution of this one is refused.
// `@inlinable`: benchmarks fetch-index and fetch-int; the element must decode in the loop of the user's module.

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

/// A cursor of rows. The row object is the same at each step: copy those that you keep.
public typealias RowCursor = FetchCursor<RowElements>
/// A cursor of values, of the leftmost column.
public typealias DatabaseValueCursor<Value: DatabaseValueConvertible> = FetchCursor<ValueElements<Value>>
/// A cursor of values, of the leftmost column.
public typealias FastDatabaseValueCursor<Value: DatabaseValueConvertible & StatementColumnConvertible> =
    FetchCursor<ValueElements<Value>>

/// A cursor of the elements that the rows of a statement decode into.
public final class FetchCursor<Decoding: RowDecoding>: DatabaseCursor {
    /// What a row decodes into.
    public typealias Element = Decoding.Decoded

    @exclusivity(unchecked) public private(set) var statement: Statement
    @exclusivity(unchecked) private var adapter: (any RowAdapter)?
    /// What makes the request again, if it was made for another schema than that of the first step.
    @exclusivity(unchecked) private var renewal: Renewal?
    @exclusivity(unchecked) @usableFromInline var row: Row?
    @exclusivity(unchecked) @usableFromInline var isRunning = false
    @exclusivity(unchecked) @usableFromInline var isDone = false
    /// The error that ended the cursor: it is no end of the rows.
    @exclusivity(unchecked) private var failure: (any Error)?
    /// The access that the cursor started in: it goes on in no other.
    @exclusivity(unchecked) @usableFromInline var accessNumber = 0
    /// The rows, if they were all fetched before the first one is asked for: other queries needed them.
    @usableFromInline package let preloaded: RowBatch?
    @exclusivity(unchecked) private var preloadedIndex = 0

    /// A cursor on a statement whose arguments are set.
    ///
    /// - Throws: SQLITE_MISUSE if another cursor holds the statement.
    @usableFromInline
    package init(_ statement: Statement, adapter: (any RowAdapter)?) throws {
        try statement.lease()
        self.statement = statement
        self.adapter = adapter
        preloaded = nil
    }

    /// A cursor over rows that were fetched with a statement.
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

    @inlinable
    public func next() throws -> Element? {
        guard let row = try nextRow() else { return nil }
        return try Decoding.element(of: row)
    }

    /// The row object, on the next row.
    @inlinable
    package func nextRow() throws -> Row? {
        guard isRunning else { return try firstRow() }
        guard statement.connection.accessNumber == accessNumber else { throw lostAccessError() }
        return try advance(row.unsafelyUnwrapped) ? row : nil
    }

    /// Moves the row object of this cursor to the next row.
    ///
    /// - Precondition: the access has not changed since the last row.
    @inlinable
    package func advance(_ row: Row) throws -> Bool {
        let code = sqlite3_step(statement.sqliteStatement)
        guard code == SQLITE_ROW else { return try finish(code) }
        return true
    }

    /// The last step gave no row: the end, or an error.
    @usableFromInline
    func finish(_ code: CInt) throws -> Bool {
        do { try statement.finish(code) } catch { throw fail(error) }
        finish()
        return false
    }

    /// Ends the cursor: each next step throws the error again.
    private func fail(_ error: any Error) -> any Error {
        failure = error
        finish()
        return error
    }

    /// The statement was reset, or the cursor is used in another access.
    @usableFromInline
    func lostAccessError() -> DatabaseError {
        guard statement.connection.isAccessible, statement.connection.hasOnlyReset(since: accessNumber) else {
            return .outsideOfAccess
        }
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the cursor can't go on: the transaction in which it ran was rolled back. Fetch again",
            sql: statement.sql)
    }

    /// A statement that depends on the schema beyond its text: what its columns mean was told by the schema.
    package struct Renewal {
        /// The number of columns of the statement.
        package let columnCount: Int
        /// The statement for the current schema, and its adapter; nil if whoever asks begins again.
        package let renew: (() throws -> (Statement, (any RowAdapter)?))?

        package init(columnCount: Int, renew: (() throws -> (Statement, (any RowAdapter)?))?) {
            self.columnCount = columnCount
            self.renew = renew
        }
    }

    /// Checks at the first step that the schema is still the one that the statement was made for.
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
            // Is the error one of compiling it again?
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
            // Nobody will step any more: a statement that runs holds the state of the database.
            statement.reset()
            throw error
        }
    }

    /// No more row is needed. A statement that writes goes on to its end: outside of a transaction it commits there,
    /// and the error of the commit would be lost.
    @usableFromInline
    package func finishWriting(_ row: Row) throws {
        guard preloaded == nil, !statement.isReadonly else { return }
        while try advance(row) {}
    }

    /// A column of the statement that the row object may not show.
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

/// The schema is not the one that a request was resolved for: it must be resolved again.
package struct SchemaMoved: Error {
    /// The error of a request that was resolved again, and for which the schema has moved again.
    package static var repeatedly: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: "the schema of the database changes while the request is made: try again")
    }
}
