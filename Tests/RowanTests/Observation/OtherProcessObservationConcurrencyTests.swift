// Observations of a file that another process writes.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct OtherProcessObservationConcurrencyTests {
    private static let rows = ValueObservation.tracking { try $0.values() }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.observesOtherProcesses = true
        configuration.busyMode = .timeout(10)
        return configuration
    }

    /// Runs SQL in another process, each statement in its own transaction.
    private func runElsewhere(_ path: String, _ statements: [String]) throws {
        let script = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
            for sql in sys.argv[2:]: connection.execute(sql).fetchall()
            """
        #expect(runProgram(["/usr/bin/env", "python3", "-c", script, path] + statements) == 0)
    }

    @Test(arguments: ConnectionKind.files)
    func commitsOfAnotherProcessAreNotified(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            let recorder = Self.rows.record(in: writer)
            let regions = Log<Int>()
            let cancellable = DatabaseRegionObservation(tracking: Table("t")).start(in: writer) {
                Issue.record($0)
            } onChange: { _ in
                regions.append(1)
            }
            await eventually { recorder.values == [[1, 2]] }
            try await writer.fence()
            try runElsewhere(writer.path, ["INSERT INTO t VALUES (3)"])
            await eventually { recorder.values.last == [1, 2, 3] && !regions.elements.isEmpty }
            #expect(recorder.values.last == [1, 2, 3])
            #expect(!regions.elements.isEmpty)
            // The process's own commits alternate with those of others.
            try await writer.write { try $0.insert(4) }
            try runElsewhere(writer.path, ["DELETE FROM t WHERE x < 3", "UPDATE t SET x = x * 10"])
            await eventually { recorder.values.last == [30, 40] }
            #expect(recorder.values.last == [30, 40])
            #expect(recorder.errors.isEmpty)
            cancellable.cancel()
        }
    }

    @Test(arguments: ConnectionKind.files)
    func theSchemaMayChangeElsewhere(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            let recorder = ValueObservation.tracking { try Row.fetchAll($0, sql: "SELECT * FROM t").first?.count ?? 0 }
                .record(in: writer)
            await eventually { recorder.values == [1] }
            try await writer.fence()
            try runElsewhere(writer.path, ["ALTER TABLE t ADD COLUMN y"])
            await eventually { recorder.values.last == 2 }
            #expect(recorder.values.last == 2)
        }
    }

    /// A transaction of another process that is rolled back, and one that only reads.
    @Test(arguments: ConnectionKind.files)
    func whatIsNotCommittedIsNotNotified(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            let fetches = Log<Int>()
            let recorder = ValueObservation.tracking { db in
                fetches.append(1)
                return try db.values()
            }.record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            try runElsewhere(writer.path, ["BEGIN", "INSERT INTO t VALUES (3)", "ROLLBACK", "SELECT * FROM t"])
            try await writer.fence()
            #expect(fetches.elements.count == 1)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func withoutTheOptionNothingIsWatched(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let recorder = Self.rows.record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            if kind.isFile { try runElsewhere(writer.path, ["INSERT INTO t VALUES (3)"]) }
            try await writer.fence()
            #expect(recorder.values == [[1, 2]])
        }
    }

    /// The counter of other connections' commits excludes those of this connection, which are observed anyway.
    @Test(arguments: ConnectionKind.files)
    func itsOwnCommitsAreNotThoseOfOthers(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE other(x)") }
            let (fetches, regions) = (Log<Int>(), Log<Int>())
            let recorder = ValueObservation.tracking { db in
                fetches.append(1)
                return try db.values()
            }.record(in: writer)
            let cancellable = DatabaseRegionObservation(tracking: Table("t")).start(in: writer) {
                Issue.record($0)
            } onChange: { _ in
                regions.append(1)
            }
            await eventually { recorder.values == [[1, 2]] }
            try await writer.fence()
            for value in 1...5 {
                try await writer.write { try $0.execute(sql: "INSERT INTO other VALUES (?)", arguments: [value]) }
                // Wait for the checks that follow a write to the file.
                try await Task.sleep(for: .milliseconds(30))
            }
            try await writer.fence()
            #expect(fetches.elements.count == 1)
            #expect(regions.elements.isEmpty)
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.values.last == [1, 2, 3] }
            try await Task.sleep(for: .milliseconds(30))
            try await writer.fence()
            #expect(fetches.elements.count == 2)
            #expect(regions.elements.count == 1)
            cancellable.cancel()
        }
    }

    /// Another process commits between the first fetch and the start of watching the file.
    @Test(arguments: [ConnectionKind.walQueue, .pool])
    func aCommitDuringTheFirstFetchIsNotified(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            let isFirst = Mutex(true)
            let path = writer.path
            let recorder = ValueObservation.tracking { db in
                let values = try db.values()
                let commits = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if commits { try self.runElsewhere(path, ["INSERT INTO t VALUES (3)"]) }
                return values
            }.record(in: writer)
            await eventually { recorder.values.last == [1, 2, 3] }
            #expect(recorder.values == [[1, 2], [1, 2, 3]])
            recorder.cancel()
        }
    }

    @Test(arguments: ConnectionKind.files)
    func cancellingStopsWatching(_ kind: ConnectionKind) async throws {
        try await withTable(kind, configuration) { writer in
            let recorder = Self.rows.record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            recorder.cancel()
            try await writer.write { try $0.insert(3) }
            try runElsewhere(writer.path, ["INSERT INTO t VALUES (4)"])
            try await writer.fence()
            #expect(recorder.values == [[1, 2]])
        }
    }
}
