import CFloor
import Harness

extension FloorSide {
    /// Readers and a writer on threads, each with its own connection.
    func writeWhileReading(_ assignment: Assignment) throws -> any Run {
        let readers = try (0..<8).map { _ in try SharedConnection(path: assignment.path, isReader: true) }
        for reader in readers {
            try reader.connection.check(floor_wait_for_locks(reader.connection.handle))
        }
        let writer = try RangeWriter(path: assignment.path)
        return ClosureRun {
            try assignment.writeWhileReading { thread, ids in
                let connection = readers[thread].connection
                var digest: Int64 = 0
                try ids.withUnsafeBufferPointer { ids in
                    try connection.check(floor_read_points(connection.handle, ids.baseAddress!, ids.count, &digest))
                }
            } write: { ids in
                try writer.write(ids)
            }
        } digest: { _, _ in
        } latencies: {
            $0.readLatencies
        } log: {
            $0
        } close: {
            writer.close()
        }
    }
}

/// A connection with a statement, used by one thread at a time.
private final class RangeWriter: @unchecked Sendable {
    private let connection: Connection
    private var writer: OpaquePointer?

    init(path: String) throws {
        connection = try Connection(path: path)
        try connection.execute("PRAGMA synchronous = NORMAL")
        try connection.check(floor_writer_open(connection.handle, &writer))
    }

    func write(_ ids: ClosedRange<Int64>) throws {
        try connection.check(floor_writer_move(writer, ids.lowerBound, ids.upperBound))
    }

    func close() {
        floor_writer_close(writer)
        writer = nil
    }
}
