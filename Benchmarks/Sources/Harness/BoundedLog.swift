import Foundation

// Writes while other threads read without a pause: the write-ahead log has no moment to begin anew by itself.

/// What happened during the writes.
public struct BoundedLog: Sendable {
    public fileprivate(set) var readLatencies: [UInt64] = []
    public fileprivate(set) var writeLatencies: [UInt64] = []
    /// The largest size of the write-ahead log after a write.
    public fileprivate(set) var peakBytes = 0
}

extension Assignment {
    /// Writes one range of places after the other, and reads in eight threads until all writes are done.
    ///
    /// - Parameters:
    ///   - read: Reads a hundred places by their ids, in one transaction, in a thread with this number.
    ///   - write: Writes the places whose ids are in the range, in one transaction.
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

    /// A range for each write. Its places fill some twenty pages of 4,096 bytes.
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
