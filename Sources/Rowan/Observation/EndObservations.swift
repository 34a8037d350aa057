// The end of all observations, before a program closes its database.

extension DatabaseWriter {
    /// Ends the running value observations: a server does so before it closes its database. Values that are already fetched are
    /// still notified; a change that is not fetched yet is not.
    ///
    /// ```swift
    /// try await dbPool.endObservations()   // `for try await` loops end
    /// try dbPool.close()
    /// ```
    ///
    /// Asynchronous sequences end without an error; `onError` closures and publishers receive a `CancellationError`. It
    /// waits for the running write. Observations of regions, and those that start later, go on; they end when the database is
    /// closed.
    ///
    /// - Throws: SQLITE_MISUSE if the connection is closed.
    public func endObservations() throws {
        // A closure that can throw: the method then refuses a closed connection.
        try unsafeReentrantWrite { db throws in db.observationHub.endAll(db) }
    }

    /// The same, without blocking the thread of the task.
    public func endObservations() async throws {
        try await writeWithoutTransaction { db in db.observationHub.endAll(db) }
    }
}
