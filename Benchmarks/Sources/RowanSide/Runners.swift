import Harness
import Rowan

/// A player with an optional score.
struct Runner {
    var id: Int64
    var name: String
    var team: String
    var score: Int?
}

extension Runner: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let team = Column("team")
        static let score = Column("score")
    }
}

extension Runner: FetchableRecord {
    init(row: Row) {
        id = row["id"]
        name = row["name"]
        team = row["team"]
        score = row["score"]
    }
}

extension Runner: Digestible {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(name)
        checksum.add(team)
        checksum.add(Int64(score ?? -1))
    }
}
