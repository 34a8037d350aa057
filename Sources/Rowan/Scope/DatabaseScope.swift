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
    private(set) var rules: [Rule] = []

    /// Rows that can be read, or written.
    struct Rule: Sendable {
        let relation: Relation
        let isWriting: Bool
    }

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
        rules.append(Rule(relation: request.relation, isWriting: false))
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

    /// Adds rows that can be inserted, updated and deleted: those that match the request before and after. Without another
    /// request of the table, they can be read, too; with one, only rows that can be read can be updated and deleted.
    ///
    /// ```swift
    /// // All notes of the tenant can be read, and those of the user changed.
    /// DatabaseScope()
    ///     .reading(Note.filter { $0.tenantID == tenant })
    ///     .writing(Note.filter { $0.tenantID == tenant && $0.userID == user })
    /// ```
    ///
    /// A row that refers to a row of another table can only be stored if the scope includes that row.
    ///
    /// An access that uses the scope throws SQLITE_MISUSE if the request has more than conditions on columns of one table
    /// of the main database, if another request of the table has, if columns of the table can't be read, and if the table has triggers or constraints that
    /// replace rows.
    public consuming func writing(_ request: QueryInterfaceRequest<some Any>) -> DatabaseScope {
        rules.append(Rule(relation: request.relation, isWriting: true))
        return self
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

extension DatabaseWriter {
    /// Reads and writes what a scope includes, in a transaction, which is rolled back if the closure throws an error.
    ///
    /// ```swift
    /// let scope = DatabaseScope().writing(Note.filter { $0.tenantID == tenant })
    /// try dbPool.write(in: scope) { db in try note.insert(db) }
    /// ```
    ///
    /// - Throws: the error of the closure or the commit; SQLITE_AUTH for a statement that does anything else;
    ///   SQLITE_CONSTRAINT_TRIGGER for a row outside the scope; SQLITE_MISUSE for an invalid scope, and in a cluster.
    @discardableResult
    public func write<T>(in scope: DatabaseScope, _ updates: (Database) throws -> T) throws -> T {
        try _routes.write.scoped.run { db in try db.transaction(in: scope, updates) }
    }

    /// Reads and writes what a scope includes, in a transaction, without blocking the task's thread.
    ///
    /// - Throws: the error of the closure or the commit; SQLITE_AUTH for a statement that does anything else;
    ///   SQLITE_CONSTRAINT_TRIGGER for a row outside the scope; SQLITE_MISUSE for an invalid scope, and in a cluster;
    ///   `CancellationError`, after a rollback, if the task is cancelled.
    @discardableResult
    public func write<T: Sendable>(
        in scope: DatabaseScope, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        // Writes of a group share a transaction.
        if configuration.groupsAsyncWrites { return try await write { db in try db.write(in: scope, updates) } }
        return try await _routes.write.scoped.run { db in try db.transaction(in: scope, updates) }
    }
}

extension Database {
    /// Runs a part of an access that can only read and write what a scope includes.
    ///
    /// - Throws: the closure's error; SQLITE_AUTH for a statement that does anything else; SQLITE_CONSTRAINT_TRIGGER for a
    ///   row outside the scope; SQLITE_MISUSE for an invalid scope, in a cluster, and in an access that already has a
    ///   scope.
    @discardableResult
    public func write<T>(in scope: DatabaseScope, _ updates: (Database) throws -> T) throws -> T {
        // Otherwise, another connection could change the schema meanwhile.
        guard isInsideTransaction else { return try transaction(nil) { try write(in: scope, updates) } }
        let (state, values) = try scopeState(of: scope)
        return try connection.checkingRows(of: state.restriction) { try run(in: state, values, updates) }
    }

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
        guard isInsideTransaction else { return try isolatedRead { try $0.read(in: scope, value) } }
        let (state, values) = try scopeState(of: scope)
        return try readOnly { try run(in: state, values, value) }
    }

    /// Runs an access, in a transaction, that can only read and write what a scope includes.
    fileprivate func transaction<T>(in scope: DatabaseScope, _ updates: (Database) throws -> T) throws -> T {
        while true {
            let (state, values) = try scopeState(of: scope)
            try connection.keepTriggers(of: state.restriction)
            let result: T? = try transaction(nil) {
                // Until here, another connection could change the schema.
                guard !connection.hasMovedSchema(since: state.restriction.epoch) else { return nil }
                return try connection.checkingRows(of: state.restriction) { try run(in: state, values, updates) }
            }
            if let result { return result }
        }
    }

    private func run<T>(
        in state: ScopeState, _ values: [DatabaseValue], _ body: (Database) throws -> T
    ) throws -> T {
        state.exchangeCaches(with: self)
        defer { state.exchangeCaches(with: self) }
        return try connection.scoped(state.restriction, values) { try body(self) }
    }
}
