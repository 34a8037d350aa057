import Harness
import Rowan

extension Assignment {
    /// Writes in a pool while eight threads read. Rowan limits the write-ahead log by default.
    func writePlacesWhileReading() throws -> any Run {
        // A reader may briefly block the writer when the log restarts.
        let pool = try makeWriteAheadPool(path: path, busyMode: .timeout(1))
        return ClosureRun {
            try writeWhileReading { _, ids in
                try pool.read { db in
                    for id in ids { _ = try Place.fetchOne(db, key: id) }
                }
            } write: { ids in
                try pool.write { db in
                    try db.cachedStatement(sql: "UPDATE place SET latitude = latitude + 1 WHERE id BETWEEN ? AND ?")
                        .execute(arguments: [ids.lowerBound, ids.upperBound])
                }
            }
        } digest: { _, _ in
        } latencies: {
            $0.readLatencies
        } log: {
            $0
        } close: {
            try pool.close()
        }
    }
}
