import Harness
import Rowan

extension Assignment {
    /// Executes a statement with named arguments from dictionaries.
    func insertWithNamedArguments() throws -> any Run {
        let players = (1...count).map { id -> [String: (any DatabaseValueConvertible)?] in
            let (name, team) = (playerNames[id % playerNames.count], playerTeams[id % playerTeams.count])
            return ["id": id, "name": name, "team": team, "score": playerScore(id)]
        }
        return try write { db in
            let statement = try db.makeStatement(
                sql: "INSERT INTO player (id, name, team, score) VALUES (:id, :name, :team, :score)")
            for player in players {
                try statement.execute(arguments: StatementArguments(player))
            }
        }
    }
}
