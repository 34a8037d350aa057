import Harness
import Rowan

// Pages of a list, which only Rowan supports: the peer's side is written by hand, with the same queries.

extension Assignment {
    /// Repeatedly fetches a page of the ranking.
    func fetchPages() throws -> any Run { try fetchPages(of: Player.order { [$0.score.desc, $0.id] }) }

    /// The same for runners, some of whom have no score and come last.
    func fetchRunnerPages() throws -> any Run { try fetchPages(of: Runner.order { [$0.score.desc, $0.id] }) }

    private func fetchPages<Record: FetchableRecord & Digestible>(
        of ranking: QueryInterfaceRequest<Record>
    ) throws -> any Run {
        let queue = try makeQueue(path: path)
        let start = try queue.read { db in try tokenOfPageStart(db, ranking) }
        try queue.close()
        let count = count
        return try fetch { db in
            var records: [Record] = []
            for _ in 0..<count {
                records = try ranking.page(after: start, size: 50).fetch(db).elements
            }
            return records
        }
    }

    /// The token of the page that the workload fetches, obtained by fetching the pages before it.
    private func tokenOfPageStart<Record: FetchableRecord>(
        _ db: Database, _ ranking: QueryInterfaceRequest<Record>
    ) throws -> PageToken? {
        var token: PageToken?
        for _ in 0..<(pageDepth ?? 0) / 1_000 { token = try ranking.page(after: token, size: 1_000).fetch(db).next }
        return token
    }
}
