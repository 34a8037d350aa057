// The effects of operators on notified values, and of schedulers, sequences and shared observations.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct ValueObservationOperatorConcurrencyTests {
    private static let count = ValueObservation.tracking { try $0.values().count }

    /// The output of `print`.
    private final class Lines: TextOutputStream, Sendable {
        let text = Mutex("")
        func write(_ string: String) { text.withLock { $0 += string } }
        var lines: [String] { text.withLock { $0.split(separator: "\n").map(String.init) } }
    }

    @Test(arguments: ConnectionKind.allCases)
    func duplicatesAreRemoved(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let parity = Self.count.map { $0 % 2 }.removeDuplicates().record(in: writer)
            let large = Self.count.removeDuplicates { $0 / 3 == $1 / 3 }.record(in: writer)
            await eventually { parity.values.count == 1 && large.values.count == 1 }
            for value in 3...6 {
                try await writer.write { try $0.insert(value) }
                try await writer.write { try $0.execute(sql: "UPDATE t SET x = x + 1") }
                // Otherwise, an observation that is late would see two changes as one.
                await eventually { parity.values.count == value - 1 && large.values.last == value / 3 * 3 }
            }
            #expect(parity.values == [0, 1, 0, 1, 0])
            #expect(large.values == [2, 3, 6])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aTransformationMayFail(_ kind: ConnectionKind) async throws {
        struct TooMany: Error {}
        try await withTable(kind) { writer in
            let recorder = Self.count.map { count in
                if count > 2 { throw TooMany() }
                return count
            }.record(in: writer)
            await eventually { recorder.values == [2] }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.errors.count == 1 }
            #expect(recorder.errors.first is TooMany)
        }
    }

    @Test(arguments: [ConnectionKind.memoryQueue, .fileQueue, .pool])
    func printedEvents(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let stream = Lines()
            let recorder = Self.count.print("rows", to: stream).record(in: writer)
            await eventually { recorder.values == [2] }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.values == [2, 3] }
            recorder.cancel()
            #expect(
                stream.lines == [
                    "rows: start", "rows: fetch", "rows: tracked region: t(ROWID,x)", "rows: value: 2",
                    "rows: database did change", "rows: fetch", "rows: value: 3",
                    "rows: cancel",
                ])
            let failing = Lines()
            let failed = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT nope") }.print(to: failing)
                .record(in: writer)
            await eventually { failed.errors.count == 1 }
            #expect(
                failing.lines == [
                    "start", "fetch", "failure: SQLite error 1: no such column: nope - while executing `SELECT nope`",
                ])
        }
    }

    /// Starts an observation on the main actor.
    ///
    /// - Returns: the observation, and the number of values notified before `start` returned.
    @MainActor
    private func start(
        in writer: any DatabaseWriter, isImmediate: Bool, _ values: Log<Int>
    ) -> (AnyDatabaseCancellable, Int) {
        let onError: @MainActor @Sendable (any Error) -> Void = { Issue.record($0) }
        let onChange: @MainActor @Sendable (Int) -> Void = { value in
            MainActor.assertIsolated()
            values.append(value)
        }
        let cancellable =
            isImmediate
            ? Self.count.start(in: writer, scheduling: .immediate, onError: onError, onChange: onChange)
            : Self.count.start(in: writer, onError: onError, onChange: onChange)
        return (cancellable, values.elements.count)
    }

    @Test(arguments: ConnectionKind.allCases, [true, false])
    func valuesOnTheMainActor(_ kind: ConnectionKind, _ isImmediate: Bool) async throws {
        try await withTable(kind) { writer in
            let values = Log<Int>()
            let (cancellable, immediateCount) = await start(in: writer, isImmediate: isImmediate, values)
            #expect(immediateCount == (isImmediate ? 1 : 0))
            await eventually { values.elements == [2] }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { values.elements.count == 2 }
            #expect(values.elements == [2, 3])
            cancellable.cancel()
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func valuesAreASequence(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            var received: [Int] = []
            for try await count in Self.count.values(in: writer) {
                received.append(count)
                if count == 5 { break }
                try await writer.write { try $0.insert(count + 1) }
            }
            #expect(received.last == 5)
            #expect(received == received.sorted())
            let task = Task {
                var last = 0
                for try await count in Self.count.values(in: writer) { last = count }
                return last
            }
            try await writer.fence()
            task.cancel()
            _ = try await task.value
            try await writer.write { try $0.insert(6) }
            let isObserved = try await writer.writeWithoutTransaction { $0.connection.isWatched }
            #expect(!isObserved)
        }
    }

    @Test
    func aSequenceThrowsTheErrorOfTheObservation() async throws {
        try await withTable(.pool) { writer in
            let values = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT nope") }.values(in: writer)
            await expectError(.SQLITE_ERROR, "no such column: nope") { for try await _ in values {} }
        }
    }

    // MARK: Shared observations

    @Test(arguments: ConnectionKind.allCases)
    func aSharedObservationFetchesOnceForAll(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let fetches = Log<Int>()
            let shared = ValueObservation.tracking { db in
                fetches.append(1)
                return try db.values().count
            }.shared(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "shared")))
            #expect(fetches.elements.isEmpty)
            let first = Log<Int>()
            let second = Log<Int>()
            let firstObserver = shared.start(onError: { Issue.record($0) }, onChange: first.append)
            await eventually { first.elements == [2] }
            let secondObserver = shared.start(onError: { Issue.record($0) }, onChange: second.append)
            await eventually { second.elements == [2] }
            #expect(fetches.elements.count == 1)
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { first.elements.count == 2 && second.elements.count == 2 }
            #expect(first.elements == [2, 3])
            #expect(second.elements == [2, 3])
            #expect(fetches.elements.count == 2)
            firstObserver.cancel()
            secondObserver.cancel()
            try await writer.write { try $0.insert(4) }
            try await writer.fence()
            #expect(fetches.elements.count == 2)
            // A new observer starts again.
            let third = Log<Int>()
            let thirdObserver = shared.start(onError: { Issue.record($0) }, onChange: third.append)
            await eventually { third.elements == [4] }
            #expect(third.elements == [4])
            thirdObserver.cancel()
        }
    }

    @Test
    func aSharedObservationMayGoOnWithoutObservers() async throws {
        try await withTable(.pool) { writer in
            let fetches = Log<Int>()
            var shared: SharedValueObservation<Int>? = ValueObservation.tracking { db in
                fetches.append(1)
                return try db.values().count
            }.shared(in: writer, scheduling: .task, extent: .observationLifetime)
            let first = Log<Int>()
            shared?.start(onError: { Issue.record($0) }, onChange: first.append).cancel()
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { fetches.elements.count == 2 }
            #expect(fetches.elements.count == 2)
            shared = nil
            try await writer.write { try $0.insert(4) }
            try await writer.fence()
            #expect(fetches.elements.count == 2)
        }
    }

    @Test
    func anErrorEndsASharedObservationForAll() async throws {
        try await withTable(.pool) { writer in
            let shared = Self.count.shared(in: writer, scheduling: .task)
            let errors = Log<String>()
            let values = Log<Int>()
            let observers = (0..<3).map { _ in
                shared.start(onError: { errors.append("\($0)") }, onChange: values.append)
            }
            await eventually { values.elements.count == 3 }
            try await writer.fence()
            try await writer.write { try $0.execute(sql: "ALTER TABLE t RENAME TO u") }
            await eventually { errors.elements.count == 3 }
            #expect(errors.elements.allSatisfy { $0.contains("no such table: t") })
            #expect(errors.elements.count == 3)
            try await writer.write { try $0.execute(sql: "ALTER TABLE u RENAME TO t") }
            let again = Log<Int>()
            let observer = shared.start(onError: { Issue.record($0) }, onChange: again.append)
            await eventually { again.elements == [2] }
            #expect(again.elements == [2])
            withExtendedLifetime((observers, observer)) {}
        }
    }

    /// The extent is that of the shared observation: the error is the last event.
    @Test
    func anErrorIsFinalForTheExtentOfTheObservation() async throws {
        try await withTable(.pool) { writer in
            let shared = Self.count.shared(in: writer, scheduling: .task, extent: .observationLifetime)
            let errors = Log<String>()
            let first = shared.start(onError: { errors.append("\($0)") }, onChange: { _ in })
            try await writer.write { try $0.execute(sql: "ALTER TABLE t RENAME TO u") }
            await eventually { errors.elements.count == 1 }
            try await writer.write { try $0.execute(sql: "ALTER TABLE u RENAME TO t") }
            let values = Log<Int>()
            let second = shared.start(onError: { errors.append("\($0)") }, onChange: values.append)
            await eventually { errors.elements.count == 2 }
            #expect(errors.elements.allSatisfy { $0.contains("no such table: t") })
            #expect(errors.elements.count == 2)
            var thrown: (any Error)?
            do { for try await value in shared.values() { values.append(value) } } catch { thrown = error }
            #expect("\(thrown, default: "no error")".contains("no such table: t"))
            #expect(values.elements == [])
            withExtendedLifetime((first, second)) {}
        }
    }

    // MARK: Region observations

    @Test(arguments: ConnectionKind.allCases)
    func transactionsThatChangeARegion(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE other(x)") }
            let changes = Log<[Int]>()
            let cancellable = DatabaseRegionObservation(tracking: Table("t")).start(in: writer) {
                Issue.record($0)
            } onChange: { db in
                // The table exists.
                changes.append((try? db.values()) ?? [])
            }
            try await writer.write { db in
                try db.insert(3)
                try db.insert(4)
            }
            try await writer.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
            try await writer.writeWithoutTransaction { try $0.insert(5) }
            #expect(changes.elements == [[1, 2, 3, 4], [1, 2, 3, 4, 5]])
            cancellable.cancel()
            try await writer.write { try $0.insert(6) }
            #expect(changes.elements.count == 2)
            let isObserved = try await writer.writeWithoutTransaction { $0.connection.isWatched }
            #expect(!isObserved)
        }
    }
}
