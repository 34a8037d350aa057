import Foundation

// Writes while other threads read continuously, so that the write-ahead log has no opportunity to restart by itself.

/// The results of the writes.
public struct BoundedLog: Sendable {
    public fileprivate(set) var readLatencies: [UInt64] = []
    public fileprivate(set) var writeLatencies: [UInt64] = []
    /// The largest size of the write-ahead log after a write.
    public fileprivate(set) var peakBytes = 0
}

extension Assignment {
    /// Writes one range of places after another, and reads on eight threads until all writes are done.
    ///
    /// - Parameters:
    ///   - read: reads a hundred places by id, in a transaction, on a thread with the given number.
    ///   - write: writes the places whose ids are in the range, in a transaction.
    public func writeWhileReading(
        read: @escaping @Sendable (_ thread: Int, _ ids: ArraySlice<Int64>) throws -> Void,
        write: @escaping @Sendable (_ ids: ClosedRange<Int64>) throws -> Void
    ) throws -> BoundedLog {
        let (result, isDone, keys) = (Locked(BoundedLog()), Locked(false), samples.keys)
        let wait = background {
            defer { isDone.withLock { $0 = true } }
            var log = BoundedLog()
            for ids in writtenRanges {
                let start = now()
                try write(ids)
                log.writeLatencies.append(now() - start)
                log.peakBytes = max(log.peakBytes, logSize)
            }
            result.withLock { ($0.writeLatencies, $0.peakBytes) = (log.writeLatencies, log.peakBytes) }
        }
        try inThreads(8) { thread in
            var (latencies, start): ([UInt64], Int) = ([], thread * keys.count / 8)
            while !isDone.withLock({ $0 }) {
                let (end, begin) = (min(start + 100, keys.count), now())
                try read(thread, keys[start..<end])
                latencies.append(now() - begin)
                start = end == keys.count ? 0 : end
            }
            result.withLock { $0.readLatencies += latencies }
        }
        try wait()
        return result.withLock { $0 }
    }

    /// A range for each write. Its places occupy about twenty pages of 4,096 bytes.
    private var writtenRanges: [ClosedRange<Int64>] {
        (0..<Int64(count)).map { index in
            let first = index * 7919 % Int64(rows - 800) + 1
            return first...(first + 799)
        }
    }

    private var logSize: Int {
        var status = stat()
        return stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }
}
