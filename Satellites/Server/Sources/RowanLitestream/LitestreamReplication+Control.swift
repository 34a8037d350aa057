// Requests about one database.

extension LitestreamReplication {
    /// Sends everything committed before this call to the replica, and returns when the replica has confirmed it.
    ///
    /// ```swift
    /// try await pool.write { db in try order.insert(db) }
    /// try await replication.sync()
    /// // The order survives this machine.
    /// ```
    ///
    /// A call costs a process and a request to the storage. If Litestream does not run yet, is being restarted, or
    /// can't reach the storage, the call retries until the timeout.
    ///
    /// - Parameter timeout: The maximum total time to wait.
    /// - Returns: The number of the Litestream transaction up to which the replica has all changes.
    /// - Throws: ``LitestreamError/Kind/notRunning`` if Litestream can't be reached,
    ///   ``LitestreamError/Kind/notAcknowledged`` if the replica has not confirmed the changes in time, and
    ///   `CancellationError`.
    ///
    /// Source: `litestream help sync`
    @discardableResult
    public func sync(timeout: Duration = .seconds(30)) async throws -> UInt64 {
        try await daemon.sync(path, timeout: timeout)
    }

    /// Makes Litestream read the newest commits, but not send them.
    ///
    /// - Returns: the number of the Litestream transaction that contains the last commit.
    package func readCommits() async throws -> UInt64 {
        struct Answer: Decodable { let txid: UInt64 }
        return try await daemon.ask(Answer.self, ["sync"], [path]).txid
    }

    /// Whether Litestream runs, and how far the replica may be behind.
    ///
    /// ```swift
    /// let status = try await replication.status()
    /// guard status.isRunning, status.lag ?? .zero < .seconds(60) else { return .serviceUnavailable }
    /// ```
    ///
    /// - Throws: ``LitestreamError`` if the program is missing or its response can't be read. If Litestream does not
    ///   run, no error is thrown.
    public func status() async throws -> LitestreamStatus {
        try await daemon.status(of: [path])
    }
}
