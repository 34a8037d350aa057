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
    /// The path of the file that the workload imports.
    public var importPath: String { path + "-import" }

    /// Writes the players that other workloads insert, as CSV without a header, with names in quotes.
    public func writePlayersCSV() {
        let file = OutputFile(path: importPath)
        for id in 1...count {
            let (name, team) = (playerNames[id % playerNames.count], playerTeams[id % playerTeams.count])
            file.write("\(id),\"\(name)\",\(team),\(playerScore(id))\r\n")
        }
    }

    /// Writes the players that other workloads insert, as JSON lines.
    public func writePlayersJSONLines() {
        let file = OutputFile(path: importPath)
        for id in 1...count {
            let (name, team) = (playerNames[id % playerNames.count], playerTeams[id % playerTeams.count])
            file.write("{\"id\":\(id),\"name\":\"\(name)\",\"team\":\"\(team)\",\"score\":\(playerScore(id))}\n")
        }
    }

    /// The ids of players that are read individually.
    public var playerIDs: [Int64] {
        let step = Int64(rows / samples.keys.count)
        return samples.keys.prefix(count).map { $0 * step }
    }
}
