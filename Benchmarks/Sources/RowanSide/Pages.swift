import Harness
import Rowan

// Pages of a list, which only Rowan has: the peer's side is written by hand, with the same queries.

extension Assignment {
    /// Fetches one page of the ranking again and again.
    func fetchPages() throws -> any Run {
        let queue = try makeQueue(path: path)
        let start = try queue.read(tokenOfPageStart)
        try queue.close()
        let count = count
        return try fetch { db in
            var players: [Player] = []
            for _ in 0..<count {
                players = try Player.ranking.page(after: start, size: 50).fetch(db).elements
            }
            return players
        }
    }

    /// Where the page starts that the workload fetches: pages are turned up to it.
    private func tokenOfPageStart(_ db: Database) throws -> PageToken? {
        guard sqlOfPageStart != nil else { return nil }
        var token: PageToken?
        for _ in 0..<(rows / 2 / 50) { token = try Player.ranking.page(after: token, size: 50).fetch(db).next }
        return token
    }
}

extension Player {
    fileprivate static var ranking: QueryInterfaceRequest<Player> { Player.order { [$0.score.desc, $0.id] } }
}
