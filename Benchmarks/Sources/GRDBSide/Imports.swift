import Foundation
import GRDB
import Harness

// Written by hand, as a user of the peer would, for CSV without separators and line breaks in quotes.

extension Assignment {
    func importPlayers() throws -> any Run {
        writePlayersCSV()
        let url = URL(fileURLWithPath: importPath)
        return try write { db in
            let statement = try db.makeStatement(sql: "INSERT INTO player (id, name, team, score) VALUES (?, ?, ?, ?)")
            let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
            for line in text.split(separator: "\r\n") {
                let values = line.split(separator: ",", omittingEmptySubsequences: false)
                    .map { $0.first == "\"" ? $0.dropFirst().dropLast() : $0 }
                try statement.execute(arguments: StatementArguments(values.map(String.init)))
            }
        }
    }

    func importPlayersFromJSON() throws -> any Run {
        writePlayersJSONLines()
        let url = URL(fileURLWithPath: importPath)
        return try write { db in
            let decoder = JSONDecoder()
            for line in try Data(contentsOf: url).split(separator: 0x0A) {
                try decoder.decode(ImportedPlayer.self, from: line).insert(db)
            }
        }
    }
}

private struct ImportedPlayer: Codable, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64
    var name: String
    var team: String
    var score: Int64
}
