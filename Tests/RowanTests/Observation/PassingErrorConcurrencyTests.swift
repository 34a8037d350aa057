// Observations survive temporary errors: locks held by others, interruptions, suspensions.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct PassingErrorConcurrencyTests {
    /// After a temporary error, the value is fetched again without another commit.
    @Test(arguments: ConnectionKind.allCases, [ResultCode.SQLITE_BUSY, .SQLITE_INTERRUPT, .SQLITE_LOCKED])
    func aFetchIsRepeated(_ kind: ConnectionKind, _ code: ResultCode) async throws {
        try await withTable(kind) { writer in
            let failures = Mutex(0)
            let recorder = ValueObservation.tracking { db -> [Int] in
                let values = try db.values()
                let mustFail = failures.withLock { failures in
                    guard values.count == 3, failures < 2 else { return false }
                    failures += 1
                    return true
                }
                if mustFail { throw DatabaseError(resultCode: code) }
                return values
            }.record(in: writer)
            await eventually { recorder.values == [[1, 2]] }
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.values.last == [1, 2, 3] }
            #expect(failures.withLock { $0 } == 2)
            try await writer.write { try $0.insert(4) }
            await eventually { recorder.values.last == [1, 2, 3, 4] }
            #expect(recorder.errors.isEmpty)
            recorder.cancel()
        }
    }

    /// This also applies to the first value.
    @Test(arguments: ConnectionKind.allCases)
    func theFirstFetchIsRepeated(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let failures = Mutex(0)
            let recorder = ValueObservation.tracking { db -> [Int] in
                let isFirst = failures.withLock { failures in
                    failures += 1
                    return failures == 1
                }
                if isFirst { throw DatabaseError(resultCode: .SQLITE_BUSY) }
                return try db.values()
            }.record(in: writer)
            await eventually { recorder.values == [[1, 2]] }
            #expect(recorder.errors.isEmpty)
            recorder.cancel()
        }
    }

    /// An error of the closure or the schema ends the observation.
    @Test(arguments: ConnectionKind.allCases)
    func otherErrorsEndIt(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let recorder = ValueObservation.tracking { try $0.values() }.record(in: writer)
            await eventually { recorder.values == [[1, 2]] }
            try await writer.write { try $0.execute(sql: "DROP TABLE t") }
            await eventually { recorder.errors.count == 1 }
            #expect((recorder.errors.first as? DatabaseError)?.resultCode == .SQLITE_ERROR)
        }
    }

    // MARK: Other processes

    private var watching: Configuration {
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        return configuration
    }

    /// Commits by others to an attached database.
    @Test(arguments: [true, false])
    func attachedDatabases(_ isAttachedBefore: Bool) async throws {
        let folder = try TemporaryFolder()
        // The observation reads the file at any time.
        var waiting = Configuration()
        waiting.busyMode = .timeout(30)
        let other = try DatabaseQueue(path: folder.path("other.sqlite"), configuration: waiting)
        try await other.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        let queue = try DatabaseQueue(path: folder.path("main.sqlite"), configuration: watching)
        let attach: @Sendable (Database) throws -> Void = {
            try $0.execute(sql: "ATTACH ? AS other", arguments: [other.path])
        }
        let first = ValueObservation.tracking { _ in 1 }.record(in: queue)
        if isAttachedBefore { try await queue.writeWithoutTransaction(attach) }
        await eventually { first.values == [1] }
        if !isAttachedBefore { try await queue.writeWithoutTransaction(attach) }
        let recorder = ValueObservation.tracking { try Int.fetchAll($0, sql: "SELECT x FROM other.t") }
            .record(in: queue)
        await eventually { recorder.values == [[1]] }
        try await queue.fence()
        try await other.write { try $0.insert(2) }
        await eventually { recorder.values.last == [1, 2] }
        recorder.cancel()
        first.cancel()
    }

    #if os(Linux)
    /// Each user may have only 128 instances of inotify.
    @Test func oneInstanceWatchesAllDatabases() async throws {
        let folder = try TemporaryFolder()
        var recorders: [Recorder<Int>] = []
        for number in 0..<20 {
            let queue = try DatabaseQueue(path: folder.path("\(number).sqlite"), configuration: watching)
            recorders.append(ValueObservation.tracking { _ in number }.record(in: queue))
        }
        for (number, recorder) in recorders.enumerated() { await eventually { recorder.values == [number] } }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let instances = descriptors.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == "anon_inode:inotify"
        }
        #expect(instances.count == 1)
        for recorder in recorders { recorder.cancel() }
    }
    #endif
}
