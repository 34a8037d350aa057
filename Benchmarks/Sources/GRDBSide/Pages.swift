import GRDB
import Harness

// Written by hand, as a user of the peer would: it has no pages.

extension Assignment {
    /// Repeatedly fetches a page of the ranking.
    func fetchPages() throws -> any Run {
        let (start, count) = (try storedPageStart(), count)
        return try fetch { db in
            var players: [Player] = []
            for _ in 0..<count {
                players = try Player.page(after: start).fetchAll(db)
            }
            return players
        }
    }

    /// The same for runners, some of whom have no score and come last.
    func fetchRunnerPages() throws -> any Run {
        let (start, count) = (try storedPageStart()!, count)
        return try fetch { db in
            var runners: [Runner] = []
            for _ in 0..<count {
                runners = try Runner.page(db, after: start)
            }
            return runners
        }
    }

    private func storedPageStart() throws -> (score: Int64, id: Int64)? {
        let queue = try makeQueue(path: path)
        defer { try? queue.close() }
        return try sqlOfPageStart.map { sql in
            try queue.read { db in try pageStart(String.fetchOne(db, sql: sql)!) }
        }
    }
}

extension Player {
    /// The fifty players after one in the ranking.
    fileprivate static func page(after start: (score: Int64, id: Int64)?) -> QueryInterfaceRequest<Player> {
        let ranking = Player.order { [$0.score.desc, $0.id] }.limit(50)
        guard let start else { return ranking }
        return ranking.filter {
            $0.score <= start.score && ($0.score < start.score || $0.id > start.id)
        }
    }
}

extension Runner {
    /// The fifty runners after one in the ranking: with the same score, with a lower score, and without a score.
    fileprivate static func page(_ db: Database, after start: (score: Int64, id: Int64)) throws -> [Runner] {
        let size = 50
        var runners = try Runner.filter { $0.score == start.score && $0.id > start.id }
            .order(\.id)
            .limit(size)
            .fetchAll(db)
        if runners.count < size {
            runners += try Runner.filter { $0.score < start.score }
                .order { [$0.score.desc, $0.id] }
                .limit(size - runners.count)
                .fetchAll(db)
        }
        if runners.count < size {
            runners += try Runner.filter { $0.score == nil }.order(\.id).limit(size - runners.count).fetchAll(db)
        }
        return runners
    }
}
