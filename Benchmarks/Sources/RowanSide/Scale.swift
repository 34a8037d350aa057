import Harness
import Rowan

// Players in a table of any size.

extension Player: PersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["team"] = team
        container["score"] = score
    }

    /// A digest that proves that a player was read.
    fileprivate var digest: Int64 { id + Int64(score + name.utf8.count + team.utf8.count) }
}

extension Assignment {
    func insertPlayers() throws -> any Run {
        let (names, teams, count) = (playerNames, playerTeams, count)
        return try write { db in
            for id in 1...count {
                let player = Player(
                    id: Int64(id), name: names[id % names.count], team: teams[id % teams.count], score: playerScore(id))
                try player.insert(db)
            }
        }
    }

    func iteratePlayers() throws -> any Run {
        try sum { db in
            var sum: Int64 = 0
            let players = try Player.fetchCursor(db)
            while let player = try players.next() { sum += player.digest }
            return sum
        }
    }

    func readPlayers() throws -> any Run {
        let ids = playerIDs
        return try sum { db in
            var sum: Int64 = 0
            for id in ids {
                if let player = try Player.fetchOne(db, key: id) { sum += player.digest }
            }
            return sum
        }
    }

    func updateAllPlayers() throws -> any Run {
        try write { db in try Player.updateAll(db) { $0.team.set(to: "Whites") } }
    }

    private func sum(_ body: @escaping (Database) throws -> Int64) throws -> any Run {
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.read(body)
        } digest: { sum, checksum in
            checksum.add(sum)
        } close: {
            try queue.close()
        }
    }
}
