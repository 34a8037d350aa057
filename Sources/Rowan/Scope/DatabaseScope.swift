// The rows and columns that an access may use.

/// The rows and columns that an access can read.
///
/// ```swift
/// let scope = DatabaseScope()
///     .reading(Invoice.filter { $0.tenantID == tenant })
///     .reading(Customer.self, columns: [\.id, \.name])
/// // The invoices of the tenant, whatever the text says.
/// let rows = try dbPool.read(in: scope) { db in try Row.fetchAll(db, sql: text) }
/// ```
///
/// In an access with a scope, all statements obey it: requests, associations, SQL. A table or a column that the scope does
/// not include is refused with SQLITE_AUTH. Rows outside the scope don't exist: they are not counted, joined or found.
///
/// Article: <doc:RowsForOneTenant>.
public struct DatabaseScope: Sendable {
    /// The requests of the rows and columns that can be read.
    private(set) var readings: [Relation] = []

    /// Creates a scope that includes nothing.
    public init() {}

    /// Adds the rows of a request, with all columns, or with those that the request selects.
    ///
    /// ```swift
    /// // The rows of SELECT * FROM invoice WHERE tenantID = ?
    /// DatabaseScope().reading(Invoice.filter { $0.tenantID == tenant })
    /// ```
    ///
    /// The conditions of the request are not restricted by the scope: they may use columns and tables that the scope does
    /// not include.
    ///
    /// An access that uses the scope throws SQLITE_MISUSE if the request is not of a table of the main database, selects
    /// anything but columns of it, or has named arguments; and if two requests are of the same table.
    public consuming func reading(_ request: QueryInterfaceRequest<some Any>) -> DatabaseScope {
        readings.append(request.relation)
        return self
    }

    /// Adds all rows of a table, with some columns.
    ///
    /// ```swift
    /// DatabaseScope().reading(Customer.self, columns: [\.id, \.name])
    /// ```
    public func reading<Record: TableRecord>(
        _ type: Record.Type, columns: [PartialKeyPath<Record.DatabaseComponents>]
    ) -> DatabaseScope {
        reading(
            Record.select(
                columns.map { path in
                    guard let column = Record.databaseComponents[keyPath: path] as? any SQLSelectable else {
                        preconditionFailure("\(path) is not a column")
                    }
                    return column
                }))
    }
}

extension DatabaseReader {
    /// Reads what a scope includes, in a transaction.
    ///
    /// ```swift
    /// let rows = try dbPool.read(in: scope) { db in try Row.fetchAll(db, sql: untrustedText) }
    /// ```
    ///
    /// - Throws: the closure's error; SQLITE_AUTH for a statement that reads anything else; SQLITE_MISUSE for an invalid
    ///   scope, and in a cluster.
    public func read<T>(in scope: DatabaseScope, _ value: (Database) throws -> T) throws -> T {
        try _routes.read.run { db in try db.read(in: scope, value) }
    }

    /// Reads what a scope includes, in a transaction, without blocking the task's thread.
    ///
    /// - Throws: the closure's error; SQLITE_AUTH for a statement that reads anything else; SQLITE_MISUSE for an invalid
    ///   scope, and in a cluster; `CancellationError` if the task is cancelled.
    public func read<T: Sendable>(
        in scope: DatabaseScope, _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await _routes.read.run { db in try db.read(in: scope, value) }
    }
}

extension Database {
    /// Runs a part of an access that can only read what a scope includes.
    ///
    /// ```swift
    /// // Notified when the invoices change, and not when other tables do.
    /// ValueObservation.tracking { db in try db.read(in: scope) { try Invoice.fetchAll($0) } }
    /// ```
    ///
    /// - Throws: the closure's error; SQLITE_AUTH for a statement that reads anything else; SQLITE_MISUSE for an invalid
    ///   scope, in a cluster, and in an access that already has a scope.
    public func read<T>(in scope: DatabaseScope, _ value: (Database) throws -> T) throws -> T {
        let (state, values) = try scopeState(of: scope)
        return try readOnly {
            state.exchangeCaches(with: self)
            defer { state.exchangeCaches(with: self) }
            return try connection.scoped(state.restriction, values) { try value(self) }
        }
    }
}
