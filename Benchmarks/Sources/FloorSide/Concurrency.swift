import CFloor
import Harness

// The floor of observations and pools: connections that are opened before the run starts.

/// Writes and queries the table after each commit, on one thread: the minimal cost of observations.
func runWritesWithQueries(_ assignment: Assignment, query: String, copies: Int) throws -> any Run {
    var connections = try [Connection(path: assignment.path), Connection(path: assignment.path, isReader: true)]
    try connections[0].execute("PRAGMA synchronous = NORMAL")
    let (tables, count) = (assignment.workload == .observeStorm ? assignment.rows : 1, assignment.count)
    return ClosureRun {
        var values = [Int64](repeating: 0, count: tables)
        let (writer, reader) = (connections[0], connections[1])
        try writer.check(floor_write_and_query(writer.handle, reader.handle, query, tables, count, &values))
        return values
    } digest: { values, checksum in
        for value in values {
            for _ in 0..<copies { checksum.add(value) }
        }
    } close: {
        connections = []
    }
}

/// Reads on eight threads, each with its own connection, optionally while another thread writes.
func runReadsInThreads(_ assignment: Assignment) throws -> any Run {
    let (keys, share) = (assignment.samples.keys, assignment.count / 8)
    let readers = try (0..<8).map { _ in try SharedConnection(path: assignment.path, isReader: true) }
    let writer = try SharedConnection(path: assignment.path, isReader: false)
    try writer.connection.execute("PRAGMA synchronous = NORMAL")
    let hasWriter = assignment.workload == .poolReadWriter
    return ClosureRun {
        let isDone = Locked(!hasWriter)
        let wait = background {
            var index = 0
            while !isDone.withLock({ $0 }) {
                let key = keys[index % keys.count]
                try writer.connection.execute("UPDATE place SET latitude = latitude WHERE id = \(key)")
                index += 1
            }
        }
        let results = Locked<(sum: Int64, latencies: [UInt64])>((0, []))
        try inThreads(8) { thread in
            let connection = readers[thread].connection
            var part: Int64 = 0
            var latencies = [UInt64](repeating: 0, count: share)
            try keys.withUnsafeBufferPointer { keys in
                let first = keys.baseAddress! + thread * share
                try connection.check(
                    floor_read_points_in_transactions(connection.handle, first, share, &part, &latencies))
            }
            results.withLock {
                $0.sum += part
                $0.latencies += latencies
            }
        }
        isDone.withLock { $0 = true }
        try wait()
        return results.withLock { $0 }
    } digest: { results, checksum in
        checksum.add(results.sum)
    } latencies: {
        $0.latencies
    } close: {
    }
}

/// A connection used by one thread at a time.
final class SharedConnection: @unchecked Sendable {
    let connection: Connection

    init(path: String, isReader: Bool) throws {
        connection = try Connection(path: path, isReader: isReader)
    }
}
