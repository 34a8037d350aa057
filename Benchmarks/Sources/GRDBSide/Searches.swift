import GRDB
import Harness

// Written by hand, as a user of the peer does: its requests have no snippets.

extension Assignment {
    /// The ten best findings of each search.
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
}
