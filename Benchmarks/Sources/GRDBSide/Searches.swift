import Foundation
import GRDB
import Harness

// Written by hand, as a user of the peer would: its requests support neither snippets nor vectors.

extension Assignment {
    /// The ten best matches of each search.
    func search() throws -> any Run {
        let searches = samples.searches(count, inPages: rows)
        return try fetch { db in
            var findings: [Finding] = []
            for text in searches {
                let request = SQLRequest<Finding>(
                    sql: """
                        SELECT title, snippet(page, 1, '<b>', '</b>', '…', 10) AS excerpt FROM page
                        WHERE page MATCH ? ORDER BY rank LIMIT 10
                        """,
                    arguments: [FTS5Pattern(matchingAllTokensIn: text)], cached: true)
                findings += try request.fetchAll(db)
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
                let request = SQLRequest<Neighbor>(
                    sql: """
                        SELECT id, distance FROM item_vec
                        WHERE embedding MATCH ? AND k = ? AND (+distance) IS NOT NULL ORDER BY distance
                        """,
                    arguments: [vector.withUnsafeBytes { Data($0) }, 10], cached: true)
                neighbors += try request.fetchAll(db)
            }
            return neighbors
        }
    }
}
