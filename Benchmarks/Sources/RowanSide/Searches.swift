import Harness
import Rowan

// Full-text searches with snippets and vector searches, which Rowan supports in requests: the peer's side is written by
// hand, with SQL.

extension Assignment {
    /// The ten best matches of each search.
    func search() throws -> any Run {
        let searches = samples.searches(count, inPages: rows)
        return try fetch { db in
            var findings: [Finding] = []
            for text in searches {
                let request = Page.matching(FTS5Pattern(matchingAllTokensIn: text))
                    .select { [$0.title, FTS5.snippet(of: $0.body, tokenCount: 10).forKey("excerpt")] }
                    .order(Column.rank)
                    .limit(10)
                findings += try Finding.fetchAll(db, request)
            }
            return findings
        }
    }

    /// The ten nearest vectors of each search.
    func searchVectors() throws -> any Run {
        let searches = samples.vectorSearches(count)
        return try fetch { db in
            var neighbors: [Neighbor] = []
            for vector in searches {
                let request = Table("item_vec").nearest(to: vector, k: 10).select(Column("id"), Column.distance)
                neighbors += try Neighbor.fetchAll(db, request)
            }
            return neighbors
        }
    }
}
