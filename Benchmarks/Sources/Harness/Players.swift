// The values of players that runs insert. They are few texts: millions of rows need no memory of their own.

public let playerNames = (0..<1_000).map { "Player number \($0)" }
public let playerTeams = ["Reds", "Blues", "Greens"]

/// The score of the player with an id.
@inlinable
public func playerScore(_ id: Int) -> Int { id * 7919 % 5003 }

extension Fixture.Table {
    /// Sums, because texts of ten million rows would be too long.
    static let playerProof = """
        SELECT count(*) || ' ' || sum(score * id) || ' ' || sum(length(name) * id) || ' ' || sum(unicode(team) * id)
        FROM player
        """
}

extension Assignment {
    /// The ids of players that are read one by one.
    public var playerIDs: [Int64] {
        let step = Int64(rows / samples.keys.count)
        return samples.keys.prefix(count).map { $0 * step }
    }
}
