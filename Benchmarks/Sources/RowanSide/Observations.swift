import Dispatch
import Harness
import Rowan

/// Counts the events of a table.
private final class EventCounter: TransactionObserver {
    private(set) var count = 0

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "ints" }

    func databaseDidChange(with event: DatabaseEvent) { count += 1 }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}

extension Assignment {
    /// The insertions of `insertStructs`, with observers.
    func insertObservedStructs() throws -> any Run {
        let records = samples.ints.prefix(count).map { NamedInts($0) }
        let observers = (0..<workload.observerCount).map { _ in EventCounter() }
        let queue = try makeQueue(path: path)
        for observer in observers { queue.add(transactionObserver: observer) }
        return ClosureRun {
            try queue.write { db in
                for record in records {
                    try record.insert(db)
                }
            }
        } digest: { _, checksum in
            checksum.add(Int64(observers.reduce(0) { $0 + $1.count }))
        } close: {
            try queue.close()
        }
    }

    /// Writes one row, and waits for the value of an observation.
    func waitForValues() throws -> any Run {
        let (pool, deliveries, count) = (try makeWriteAheadPool(path: path), Deliveries([0]), count)
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT IFNULL(MAX(id), 0) FROM t1") ?? 0
        }
        let cancellable = start(observation, in: pool, on: DispatchQueue(label: "values"), deliveries, index: 0)
        _ = try deliveries.wait()
        return ClosureRun {
            var latencies: [UInt64] = []
            latencies.reserveCapacity(count)
            for id in 1...count {
                deliveries.expect([id])
                let start = try pool.write { db in
                    try insert(db, into: 1)
                    return now()
                }
                try latencies.append(deliveries.wait() - start)
            }
            return latencies
        } digest: { _, checksum in
            for value in deliveries.values { checksum.add(Int64(value)) }
        } latencies: {
            $0
        } close: {
            cancellable.cancel()
            try pool.close()
        }
    }

    /// Ten observations of each table, while the tables are written one after another.
    func waitForStorm() throws -> any Run {
        let (pool, rows, count) = (try makeWriteAheadPool(path: path), rows, count)
        let deliveries = Deliveries(Array(repeating: 0, count: rows * 10))
        let queue = DispatchQueue(label: "values")
        let cancellables = (0..<rows).flatMap { table in
            let observation = ValueObservation.tracking { db in
                try Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM t\(table + 1) WHERE team = ?", arguments: [table + 1]) ?? 0
            }
            return (0..<10).map { start(observation, in: pool, on: queue, deliveries, index: table * 10 + $0) }
        }
        _ = try deliveries.wait()
        return ClosureRun {
            deliveries.expect((0..<rows).flatMap { Array(repeating: (count - $0 + rows - 1) / rows, count: 10) })
            for index in 0..<count {
                try pool.write { try insert($0, into: index % rows + 1) }
            }
            _ = try deliveries.wait()
        } digest: { _, checksum in
            for value in deliveries.values { checksum.add(Int64(value)) }
        } close: {
            for cancellable in cancellables { cancellable.cancel() }
            try pool.close()
        }
    }
}

private func insert(_ db: Database, into table: Int) throws {
    try db.cachedStatement(sql: "INSERT INTO t\(table) (team) VALUES (?)").execute(arguments: [table])
}

private func start(
    _ observation: ValueObservation<ValueReducers.Fetch<Int>>, in pool: DatabasePool, on queue: DispatchQueue,
    _ deliveries: Deliveries, index: Int
) -> AnyDatabaseCancellable {
    observation.start(in: pool, scheduling: .async(onQueue: queue)) { error in
        fatalError("the observation failed: \(error)")
    } onChange: { value in
        deliveries.deliver(value, to: index)
    }
}
