// Copied rows share buffers: the number of rows per buffer depends on their size.

import Foundation
import Testing

@testable import Rowan

struct CopiedRowMemoryTests {
    /// A row retains its buffer, so a large row should not retain hundreds of others.
    @Test func largeRowsShareNoLargeBuffer() throws {
        let sql = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            SELECT i, zeroblob(CASE WHEN i % 3 = 0 THEN 10 ELSE ? END) AS data FROM n
            """
        try withDatabase { db in
            for size in [0, 100, 5_000, 300_000] {
                let rows = try Row.fetchAll(db, sql: sql, arguments: [size])
                #expect(rows.map { $0["i"] as Int } == Array(1...300))
                #expect(rows.allSatisfy { ($0["data"] as Data).count == ($0["i"] as Int % 3 == 0 ? 10 : size) })
                let largest = try #require(rows.map { $0.storage.source.values!.byteCount }.max())
                #expect(largest < (1 << 20) + size)
            }
        }
    }
}
