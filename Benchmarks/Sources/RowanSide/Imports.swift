import Foundation
import Harness
import Rowan
import RowanImport

// Only Rowan imports files: the peer's side is written by hand.

extension Assignment {
    func importPlayers() throws -> any Run {
        writePlayersCSV()
        let url = URL(fileURLWithPath: importPath)
        return try write { db in
            _ = try db.importCSV(into: "player", from: url, format: CSVDumpFormat(header: false))
        }
    }

    func importPlayersFromJSON() throws -> any Run {
        writePlayersJSONLines()
        let url = URL(fileURLWithPath: importPath)
        return try write { db in _ = try db.importJSONLines(into: "player", from: url) }
    }
}
