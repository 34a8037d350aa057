// Observed values on every kind of connection: the first value, each change, errors, cancellation.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct ValueObservationConcurrencyTests {
    private static let rows = ValueObservation.tracking { try $0.values() }

    @Test(arguments: ConnectionKind.allCases)
    func itNotifiesTheFirstValueAndChanges(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let recorder = Self.rows.record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.values.count == 2 }
            try await writer.write { try $0.execute(sql: "DELETE FROM t") }
            await eventually { recorder.values.count == 3 }
            #expect(recorder.values == [[1, 2], [1, 2, 3], []])
            #expect(recorder.errors.isEmpty)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func itFetchesOnceIfNothingChanges(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let fetches = Log<Int>()
            let recorder = ValueObservation.tracking { db in
                fetches.append(1)
                return try db.values()
            }.record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            try await writer.write { try $0.execute(sql: "CREATE TABLE other(x); INSERT INTO other VALUES (1)") }
            try await writer.write { try $0.execute(sql: "UPDATE t SET x = 3 WHERE 0") }
            try await writer.fence()
            #expect(fetches.elements.count == 1)
            #expect(recorder.values == [[1, 2]])
        }
    }

    @Test(arguments: ConnectionKind.concurrent)
    func aChangeBetweenTheFirstFetchAndTheFirstAccessOfTheWriterIsNotified(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let isWriting = Gate()
            let mayWrite = Gate()
            startThread {
                // The table exists, so the write does not fail.
                try? writer.write { db in
                    isWriting.open()
                    mayWrite.wait()
                    try db.insert(3)
                }
            }
            await isWriting.opened()
            let recorder = Self.rows.record(in: writer)
            await eventually { recorder.values.count == 1 }
            mayWrite.open()
            await eventually { recorder.values.count == 2 }
            #expect(recorder.values == [[1, 2], [1, 2, 3]])
        }
    }

    @Test(
        .disabled(if: ClusterUnderTest.isActive, "a cluster does not report which rows change"),
        arguments: ConnectionKind.allCases)
    func onlyCommittedChangesOfTheRegionAreNotified(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                        INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 20);
                        """)
            }
            let fetches = Log<Int>()
            let recorder = ValueObservation.tracking { db in
                fetches.append(1)
                return try Int.fetchOne(db, Table("player").filter(key: 1).select(Column("score"))) ?? 0
            }.record(in: writer)
            await eventually { recorder.values == [10] }
            await writer.isObserved()
            try await writer.fence()
            try await writer.write { try $0.execute(sql: "UPDATE player SET name = 'A'") }
            try await writer.write { try $0.execute(sql: "UPDATE player SET score = 21 WHERE id = 2") }
            try await writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "UPDATE player SET score = 11")
                    return .rollback
                }
            }
            try await writer.write { db in
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE player SET score = 12")
                    return .rollback
                }
            }
            try await writer.fence()
            #expect(fetches.elements.count == 1)
            try await writer.write { try $0.execute(sql: "UPDATE player SET score = 13 WHERE id = 1") }
            await eventually { recorder.values.count == 2 }
            #expect(recorder.values == [10, 13])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func theRegionMayVary(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE other(x); INSERT INTO other VALUES (10)") }
            let recorder = ValueObservation.tracking { db in
                try db.values().count == 2 ? -1 : try Int.fetchOne(db, sql: "SELECT SUM(x) FROM other") ?? 0
            }.record(in: writer)
            await eventually { recorder.values == [-1] }
            try await writer.fence()
            try await writer.write { try $0.execute(sql: "INSERT INTO other VALUES (20)") }
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.values.count == 2 }
            try await writer.write { try $0.execute(sql: "INSERT INTO other VALUES (30)") }
            await eventually { recorder.values.count == 3 }
            #expect(recorder.values == [-1, 30, 60])
        }
    }

    /// SQLite does not report the new name of a table.
    @Test(arguments: ConnectionKind.allCases)
    func aTableThatGetsAnObservedNameIsNotified(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE u(x); INSERT INTO u VALUES (7)") }
            let recorder = ValueObservation.tracking { db in
                try db.tableExists("t") ? db.values() : []
            }.record(in: writer)
            await eventually { recorder.values == [[1, 2]] }
            try await writer.fence()
            try await writer.write { db in
                try db.execute(sql: "DROP TABLE t")
                try db.execute(sql: "ALTER TABLE u RENAME TO t")
            }
            await eventually { recorder.values.count == 2 }
            #expect(recorder.values == [[1, 2], [7]])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func explicitRegions(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE signal(x)") }
            let recorder = ValueObservation.tracking(region: Table("signal")) { try $0.values() }.record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            try await writer.fence()
            #expect(recorder.values == [[1, 2]])
            try await writer.write { try $0.execute(sql: "INSERT INTO signal VALUES (1)") }
            await eventually { recorder.values.count == 2 }
            #expect(recorder.values == [[1, 2], [1, 2, 3]])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func anErrorEndsTheObservation(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let recorder = Self.rows.record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            try await writer.write { try $0.execute(sql: "DROP TABLE t") }
            await eventually { recorder.errors.count == 1 }
            #expect((recorder.errors.first as? DatabaseError)?.message == "no such table: t")
            try await writer.write { try $0.execute(sql: "CREATE TABLE t(x)") }
            try await writer.fence()
            #expect(recorder.values == [[1, 2]])
            #expect(recorder.errors.count == 1)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func theFirstFetchMayFail(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let recorder = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT x FROM missing") ?? 0 }
                .record(in: writer)
            await eventually { recorder.errors.count == 1 }
            #expect((recorder.errors.first as? DatabaseError)?.message == "no such table: missing")
            #expect(recorder.values.isEmpty)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func cancellingReleasesEverything(_ kind: ConnectionKind) async throws {
        final class Resource: Sendable { func count(_ db: Database) throws -> Int { try db.values().count } }
        try await withTable(kind) { writer in
            weak var weakResource: Resource?
            let recorder = Recorder<Int>()
            do {
                let resource = Resource()
                weakResource = resource
                recorder.start(ValueObservation.tracking { try resource.count($0) }, in: writer)
            }
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            recorder.cancel()
            await eventually { weakResource == nil }
            #expect(weakResource == nil)
            try await writer.write { try $0.insert(3) }
            try await writer.fence()
            #expect(recorder.values == [2])
            // The last observer has been removed by the next commit.
            let isObserved = try await writer.writeWithoutTransaction { $0.connection.isWatched }
            #expect(!isObserved)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func writeAccess(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE log(x)") }
            var observation = ValueObservation.tracking { db in
                try db.execute(sql: "INSERT INTO log VALUES (1)")
                return try db.values().count
            }
            let refused = observation.record(in: writer)
            await eventually { refused.errors.count == 1 }
            #expect((refused.errors.first as? DatabaseError)?.resultCode == .SQLITE_READONLY)
            observation.requiresWriteAccess = true
            let recorder = observation.record(in: writer)
            await eventually { recorder.values == [2] }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.values.count == 2 }
            #expect(recorder.values == [2, 3])
            #expect(try writer.int("SELECT COUNT(*) FROM log") == 2)
        }
    }

    /// A fetch's own changes don't cause endless fetches.
    @Test(arguments: ConnectionKind.allCases)
    func aFetchMayWriteWhatItReads(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let fetches = Log<Int>()
            var observation = ValueObservation.tracking { db in
                fetches.append(1)
                try db.execute(sql: "UPDATE t SET x = x + 10")
                return try db.values()
            }
            observation.requiresWriteAccess = true
            let recorder = observation.record(in: writer)
            await eventually { recorder.values == [[11, 12]] }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.values.count == 2 }
            try await writer.fence()
            #expect(recorder.values == [[11, 12], [21, 22, 13]])
            #expect(fetches.elements.count == 2)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aCancelledTaskThatHasCommittedIsNotified(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let recorder = Self.rows.record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            let task = Task {
                try await writer.writeWithoutTransaction { db in
                    db.afterNextTransaction { _ in }
                    try db.inTransaction {
                        try db.insert(3)
                        return .commit
                    }
                    withUnsafeCurrentTask { $0?.cancel() }
                    _ = try db.values()
                }
            }
            _ = await task.result
            await eventually { recorder.values.count == 2 }
            #expect(recorder.values.last == [1, 2, 3])
            #expect(recorder.errors.isEmpty)
        }
    }

    @Test(
        .disabled(if: ClusterUnderTest.isActive, "fetches on busy readers are retried"),
        arguments: ConnectionKind.allCases)
    func copiesOfAnObservationShareTheirFetches(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let fetches = Log<Int>()
            let observation = ValueObservation.tracking { db in
                fetches.append(1)
                return try db.values()
            }
            let recorders = (0..<10).map { _ in observation.record(in: writer) }
            let counts = observation.map(\.count).record(in: writer)
            await eventually { recorders.allSatisfy { $0.values.count == 1 } && counts.values == [2] }
            try await writer.fence()
            #expect(fetches.elements.count == 11)
            try await writer.write { try $0.insert(3) }
            await eventually { recorders.allSatisfy { $0.values.count == 2 } && counts.values == [2, 3] }
            #expect(fetches.elements.count == 12)
            #expect(recorders.allSatisfy { $0.values == [[1, 2], [1, 2, 3]] })
            // The others continue when one of them ends.
            for recorder in recorders.dropFirst() { recorder.cancel() }
            try await writer.write { try $0.insert(4) }
            await eventually { recorders[0].values.count == 3 }
            #expect(recorders[1].values.count == 2)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aSlowProgramSkipsValuesButNotTheLastOne(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let fetches = Log<Int>()
            let queue = DispatchQueue(label: "slow")
            queue.suspend()
            let recorder = Recorder<Int>()
            recorder.start(
                ValueObservation.tracking { db in
                    fetches.append(1)
                    return try db.values().count
                }, in: writer, on: queue)
            await eventually { fetches.elements.count == 1 }
            try await writer.fence()
            for value in 3...102 { try await writer.write { try $0.insert(value) } }
            try await writer.fence()
            #expect(fetches.elements.count <= 12)
            #expect(recorder.values.isEmpty)
            queue.resume()
            await eventually { recorder.values.last == 102 }
            #expect(recorder.values.last == 102)
            #expect(recorder.values == recorder.values.sorted())
        }
    }

    /// The values are states in commit order, and the last one is the state of the last commit.
    @Test(arguments: ConnectionKind.allCases)
    func valuesFollowTheOrderOfCommits(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT MAX(x) FROM t") ?? 0 }
            let recorders = (0..<8).map { $0 % 2 == 0 ? observation : .tracking(observation.source.fetch) }
                .map { $0.record(in: writer) }
            try await onThreads(4) { _ in
                for _ in 1...50 {
                    try writer.write { try $0.execute(sql: "INSERT INTO t SELECT MAX(x) + 1 FROM t") }
                }
            }
            await eventually { recorders.allSatisfy { $0.values.last == 202 } }
            for recorder in recorders {
                #expect(recorder.values.last == 202)
                #expect(recorder.values == recorder.values.sorted())
                #expect(recorder.errors.isEmpty)
            }
        }
    }
}
