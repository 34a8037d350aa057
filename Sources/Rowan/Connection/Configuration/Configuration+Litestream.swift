// Databases replicated by Litestream: only Litestream moves the write-ahead log into the file.
// Source: https://litestream.io/tips/

extension Configuration {
    /// The same configuration, adjusted for a database that Litestream replicates.
    var forReplication: Configuration {
        guard replicatedByLitestream else { return self }
        var configuration = self
        configuration.journalMode = .wal
        configuration.walSizeLimit = nil
        if case .immediateError = busyMode { configuration.busyMode = .timeout(5) }
        return configuration
    }
}

extension Database {
    /// Leaves the checkpoints to Litestream.
    func leaveCheckpoints() throws {
        try makeStatement(sql: "PRAGMA wal_autocheckpoint = 0").runToEnd()
        // A log that is emptied while Litestream is not running costs a snapshot of the whole database.
        try connection.set(.keepsLogWhenClosing, true)
    }
}
