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
public typealias RowCursor = FetchCursor<Row>
/// A cursor of values, of the leftmost column.
public typealias DatabaseValueCursor<Value: DatabaseValueConvertible> = FetchCursor<Value>
/// A cursor of values, of the leftmost column.
public typealias FastDatabaseValueCursor<Value: DatabaseValueConvertible & StatementColumnConvertible> =
    FetchCursor<Value>

/// A cursor of the elements that the rows of a statement decode into.
public final class FetchCursor<Element: RowDecodable>: DatabaseCursor {
    public let statement: Statement
    @usableFromInline let adapter: (any RowAdapter)?
    @exclusivity(unchecked) @usableFromInline var row: Row?
    @exclusivity(unchecked) @usableFromInline var isRunning = false
    @exclusivity(unchecked) @usableFromInline var isDone = false
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
        guard !statement.isLeased else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the statement is in use by another cursor",
                sql: statement.sql)
        }
        self.statement = statement
        self.adapter = adapter
        preloaded = nil
        statement.isLeased = true
    }

    /// A cursor over rows that were fetched with a statement.
    package init(_ statement: Statement, rows: RowBatch) {
        self.statement = statement
        adapter = nil
        preloaded = rows
        isDone = true
    }

    deinit {
        row?.endDecoding()
        guard !isDone else { return }
        statement.connection.endLease(of: statement)
    }

    @inlinable
    public func next() throws -> Element? {
        guard let row = try nextRow() else { return nil }
        return try Element.element(of: row)
    }

    /// The row object, on the next row.
    @inlinable
    package func nextRow() throws -> Row? {
        guard isRunning else { return try firstRow() }
        guard statement.connection.accessNumber == accessNumber else { throw DatabaseError.outsideOfAccess }
        return try advance(row.unsafelyUnwrapped) ? row : nil
    }

    /// Moves the row object of this cursor to the next row.
    ///
    /// - Precondition: the access has not changed since the last row.
    @inlinable
    package func advance(_ row: Row) throws -> Bool {
        let code = sqlite3_step(statement.sqliteStatement)
        guard code == SQLITE_ROW else { return try finish(code) }
        if row.isAdapted { row.refreshAdaptation() }
        return true
    }

    /// The last step gave no row: the end, or an error.
    @usableFromInline
    func finish(_ code: CInt) throws -> Bool {
        defer { finish() }
        try statement.finish(code)
        return false
    }

    @usableFromInline
    package func firstRow() throws -> Row? {
        if let preloaded { return nextRow(of: preloaded) }
        guard !isDone else { return nil }
        do {
            try statement.start()
            guard try statement.firstStep() else {
                finish()
                return nil
            }
            isRunning = true
            accessNumber = statement.connection.accessNumber
            let live = Row(statement: statement)
            let row = try adapter.map { live.adapted(by: try $0.mapping(of: live.layout)) } ?? live
            row.keepsDecoding = true
            self.row = row
            return row
        } catch {
            finish()
            throw error
        }
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
            row?.endDecoding()
            return nil
        }
        defer { preloadedIndex += 1 }
        if let row, rows.move(row, to: preloadedIndex) { return row }
        row?.endDecoding()
        let next = rows.row(at: preloadedIndex)
        next.keepsDecoding = true
        row = next
        return next
    }

    @usableFromInline
    func finish() {
        row?.endDecoding()
        isRunning = false
        isDone = true
        statement.isLeased = false
    }
}
