// The values of inserted players. There are few different texts, so that millions of rows need no additional memory.

public let playerNames = (0..<1_000).map { "Player number \($0)" }
public let playerTeams = ["Reds", "Blues", "Greens"]

/// The score of the player with an id.
@inlinable
public func playerScore(_ id: Int) -> Int { id * 7919 % 5003 }

extension Fixture.Table {
    /// Sums, because the text of ten million rows would be too long.
    static let playerProof = """
        SELECT count(*) || ' ' || sum(score * id) || ' ' || sum(length(name) * id) || ' ' || sum(unicode(team) * id)
        FROM player
        """
}

extension Assignment {
    /// The ids of players that are read individually.
    public var playerIDs: [Int64] {
        let step = Int64(rows / samples.keys.count)
        return samples.keys.prefix(count).map { $0 * step }
    }
}
