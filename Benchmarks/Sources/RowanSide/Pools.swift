import Harness
import Rowan

/// Reads from a pool, in several threads or in a task.
extension Assignment {
    /// Eight threads read one row in each access; maybe another thread writes.
    func readInThreads() throws -> any Run {
        let (pool, keys, share) = (try makeWriteAheadPool(path: path), samples.keys, count / 8)
        let hasWriter = workload == .poolReadWriter
        return ClosureRun {
            let isDone = Locked(!hasWriter)
            let writer = background {
                var index = 0
                while !isDone.withLock({ $0 }) {
                    let key = keys[index % keys.count]
                    try pool.write { db in
                        try db.cachedStatement(sql: "UPDATE place SET latitude = latitude WHERE id = ?")
                            .execute(arguments: [key])
                    }
                    index += 1
                }
            }
            let results = Locked<(sum: Int64, latencies: [UInt64])>((0, []))
            try inThreads(8) { thread in
                var sum: Int64 = 0
                var latencies: [UInt64] = []
                latencies.reserveCapacity(share)
                for key in keys[(thread * share)..<((thread + 1) * share)] {
                    let start = now()
                    sum += try pool.read { db in try Place.fetchOne(db, key: key)?.digest ?? 0 }
                    latencies.append(now() - start)
                }
                results.withLock {
                    $0.sum += sum
                    $0.latencies += latencies
                }
            }
            isDone.withLock { $0 = true }
            try writer()
            return results.withLock { $0 }
        } digest: { results, checksum in
            checksum.add(results.sum)
        } latencies: {
            $0.latencies
        } close: {
            try pool.close()
        }
    }

    /// The accesses of `readPoints(of:)`, in a task.
    func readPointsInTask() throws -> any Run {
        let (pool, keys) = (try DatabasePool(path: path), samples.keys.prefix(count))
        return ClosureRun {
            try inTask {
                var sum: Int64 = 0
                for key in keys {
                    sum += try await pool.read { db in try Place.fetchOne(db, key: key)?.digest ?? 0 }
                }
                return sum
            }
        } digest: { sum, checksum in
            checksum.add(sum)
        } close: {
            try pool.close()
        }
    }
}

/// A pool on a database in WAL mode, which does not wait for the disk at each commit.
func makeWriteAheadPool(path: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
    }
    return try DatabasePool(path: path, configuration: configuration)
}
