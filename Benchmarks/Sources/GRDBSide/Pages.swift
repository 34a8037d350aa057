import GRDB
import Harness

// Written by hand, as a user of the peer does: it has no pages.

extension Assignment {
    /// Fetches one page of the ranking again and again.
    func fetchPages() throws -> any Run {
        let queue = try makeQueue(path: path)
        let start = try sqlOfPageStart.map { sql in
            try queue.read { db in try pageStart(String.fetchOne(db, sql: sql)!) }
        }
        try queue.close()
        let count = count
        return try fetch { db in
            var players: [Player] = []
            for _ in 0..<count {
                players = try Player.page(after: start).fetchAll(db)
            }
            return players
        }
    }
}

extension Player {
    /// The fifty players that come after one in the ranking.
    fileprivate static func page(after start: (score: Int64, id: Int64)?) -> QueryInterfaceRequest<Player> {
        let ranking = Player.order { [$0.score.desc, $0.id] }.limit(50)
        guard let start else { return ranking }
        return ranking.filter {
            $0.score <= start.score && ($0.score < start.score || $0.id > start.id)
        }
    }
}
