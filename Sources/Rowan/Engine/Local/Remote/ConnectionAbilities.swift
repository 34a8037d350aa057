// The abilities of a connection, wherever its statements run. The layers above check for an ability, not for the kind
// of connection.

/// The abilities of a connection, set when it is opened.
package struct ConnectionAbilities: Sendable {
    /// Whether changed rows are reported one by one.
    package var reportsRows = true
    /// Whether SQL can call this process's functions and collations.
    package var callsFunctions = true
    /// Whether this process has the storage, a file or memory: it runs checkpoints and can replace the content at once.
    package var ownsStorage = true
    /// Whether commits by others are found by polling versions rather than by watching a file.
    package var asksForCommits = false
    /// Whether a transaction can be lost without having been ended.
    package var losesTransactions = false
    /// Whether each statement is a round trip: a few long statements are then better than many short precompiled ones.
    package var hasRoundTrips = false
    /// The number of elements from which a list of values becomes a single argument.
    package var largeListCount = Renderer.largeListCount
    /// The tables that are not part of the program's schema and rows, unless the program names them.
    package var hiddenTables = HiddenTables.standard

    /// The abilities of a connection to SQLite.
    static let local = ConnectionAbilities()

    /// The abilities of a connection whose statements run on another machine, which accepts few arguments.
    static let remote = ConnectionAbilities(
        reportsRows: false, callsFunctions: false, ownsStorage: false, asksForCommits: true, losesTransactions: true,
        hasRoundTrips: true, largeListCount: 64)
}

/// Tables of other programs, which schema snapshots, dumps and observations of the full database exclude.
package struct HiddenTables: Sendable {
    private let prefix: String

    /// `_litestream_seq` and `_litestream_lock`, which Litestream creates in the databases it replicates.
    package static let standard = HiddenTables(prefix: "_litestream_")

    package func contains(_ tableName: String) -> Bool { tableName.foldedDatabaseName.hasPrefix(prefix) }
}

extension LocalConnection {
    /// Whether an error leaves it unknown what was committed: the transaction must not run again.
    package func isUncertain(_ error: any Error) -> Bool { remote?.runner.isUncertain(error) ?? false }

    /// Whether an error means that the database could not be reached and that nothing was applied.
    package func isOutage(_ error: any Error) -> Bool { remote?.runner.isOutage(error) ?? false }

    /// Whether a commit only repeats locally what another machine has already done, and so can't be rejected.
    package var isFollowing: Bool { remote?.isFollowing ?? false }
}
