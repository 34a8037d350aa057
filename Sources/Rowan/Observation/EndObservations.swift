// Ends all observations before a program closes its database.

extension DatabaseWriter {
    /// Ends the running value observations. Call it before a server closes its database. Values that are already
    /// fetched are still delivered; a change that is not fetched yet is not.
    ///
    /// ```swift
    /// try await dbPool.endObservations()   // `for try await` loops end
    /// try dbPool.close()
    /// ```
    ///
    /// Asynchronous sequences end without an error; `onError` closures and publishers receive a `CancellationError`. It
    /// waits for the running write. Region observations, and observations that start later, continue until the database
    /// is closed.
    ///
    /// - Throws: SQLITE_MISUSE if the connection is closed.
    public func endObservations() throws {
        // A closure that can throw, so that the method rejects a closed connection.
        try unsafeReentrantWrite { db throws in db.observationHub.endAll(db) }
    }

    /// Ends the running value observations without blocking the thread of the task.
    public func endObservations() async throws {
        try await writeWithoutTransaction { db in db.observationHub.endAll(db) }
    }
}

extension Result<Database, any Error> {
    /// The database of an access that follows the first value of an observation.
    ///
    /// - Throws: `CancellationError` if the connection was closed in the meantime. The observation then ends like those
    ///   that were waiting for a change.
    func openDatabase() throws -> Database {
        do {
            return try get()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            throw CancellationError()
        }
    }
}
