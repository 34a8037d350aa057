import Harness
import Rowan

/// Accesses to a pool on several threads or in several tasks.
extension Assignment {
    /// Eight threads read a row in each access, optionally while another thread writes.
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

    /// The accesses of `readPoints(of:)` in a task.
    func readPointsInTask() throws -> any Run {
        let (pool, keys) = (try makePool(path: path), samples.keys.prefix(count))
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

    /// A task for each insertion, all at the same time. The ids are fixed, because the tasks run in any order.
    func writePointsInTasks() throws -> any Run {
        let pool = try makeDurablePool(path: path)
        let places = samples.places.prefix(count).enumerated().map { index, sample in
            var place = Place(sample)
            place.id = Int64(index + 1)
            return place
        }
        return ClosureRun {
            try inTask {
                try await withThrowingTaskGroup(of: Place.self) { group in
                    for place in places {
                        group.addTask { try await pool.write { db in try place.inserted(db) } }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
        } digest: { inserted, checksum in
            checksum.add(inserted.sorted { $0.id! < $1.id! })
        } close: {
            try pool.close()
        }
    }
}
