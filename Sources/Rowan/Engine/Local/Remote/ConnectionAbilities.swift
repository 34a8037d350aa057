// What a connection can do, whoever runs its statements. The layers above ask for an ability, and not for the kind of the
// connection.

/// The abilities of a connection, which are set when it is opened.
package struct ConnectionAbilities: Sendable {
    /// Whether the rows that statements change are reported, one by one.
    package var reportsRows = true
    /// Whether SQL can call the functions and collations of this process.
    package var callsFunctions = true
    /// Whether this process has the storage, a file or memory: it makes the checkpoints, and can replace the content at once.
    package var ownsStorage = true
    /// Whether the commits of others are found by asking for versions, and not by what happens to a file.
    package var asksForCommits = false
    /// Whether a transaction can be gone although nothing has ended it.
    package var losesTransactions = false
    /// Whether each statement is a round trip: few long ones are better than many short ones that are compiled already.
    package var hasRoundTrips = false
    /// The length from which a list of values becomes a single argument.
    package var largeListCount = Renderer.largeListCount

    /// Those of a connection to SQLite.
    static let local = ConnectionAbilities()

    /// Those of a connection whose statements run on another machine, which accepts few arguments.
    static let remote = ConnectionAbilities(
        reportsRows: false, callsFunctions: false, ownsStorage: false, asksForCommits: true, losesTransactions: true,
        hasRoundTrips: true, largeListCount: 64)
}

extension LocalConnection {
    /// Whether an error leaves open what was committed: the transaction must not run again.
    package func isUncertain(_ error: any Error) -> Bool { remote?.runner.isUncertain(error) ?? false }

    /// Whether an error says that the database could not be reached, and that nothing was applied.
    package func isOutage(_ error: any Error) -> Bool { remote?.runner.isOutage(error) ?? false }

    /// Whether a commit only repeats here what another machine has already done: nobody can refuse it.
    package var isFollowing: Bool { remote?.isFollowing ?? false }
}
