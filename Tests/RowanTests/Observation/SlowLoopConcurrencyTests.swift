// A loop over observed values that is slower than the changes: few values are buffered, including the last one.

import Dispatch
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct SlowLoopConcurrencyTests {
    private static let last = 40
    private static let maximum = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT MAX(x) FROM t") ?? 0 }

    /// Changes the table, and waits for each notification.
    private func change(_ writer: any DatabaseWriter, _ queue: DispatchQueue) async throws {
        try await writer.fence()
        for number in 3...Self.last {
            try await writer.write { try $0.insert(number) }
            try await writer.fence()
            queue.sync {}
        }
    }

    /// Changes the table while no values are consumed, and returns the buffered ones.
    private func waitingValues(
        _ writer: any DatabaseWriter, _ values: AsyncValueObservation<Int>, on queue: DispatchQueue
    ) async throws -> [Int] {
        var iterator = values.makeAsyncIterator()
        try await change(writer, queue)
        var found: [Int] = []
        while found.last != Self.last, let value = try await iterator.next() { found.append(value) }
        return found
    }

    @Test(arguments: ConnectionKind.allCases)
    func eightValuesWait(_ kind: ConnectionKind) async throws {
        let queue = DispatchQueue(label: "values")
        try await withTable(kind) { writer in
            let values = Self.maximum.values(in: writer, scheduling: .async(onQueue: queue))
            let found = try await waitingValues(writer, values, on: queue)
            #expect(found.count <= 8)
            #expect(found == found.sorted())
        }
        try await withTable(kind) { writer in
            let shared = Self.maximum.shared(in: writer, scheduling: .async(onQueue: queue))
            let found = try await waitingValues(writer, shared.values(), on: queue)
            #expect(found.count <= 8)
            #expect(found == found.sorted())
        }
    }

    /// The program may buffer all values.
    @Test func aPolicy() async throws {
        let queue = DispatchQueue(label: "values")
        try await withTable(.memoryQueue) { writer in
            let values = Self.maximum.values(
                in: writer, scheduling: .async(onQueue: queue), bufferingPolicy: .unbounded)
            let found = try await waitingValues(writer, values, on: queue)
            #expect(found.count > 8)
        }
        try await withTable(.memoryQueue) { writer in
            let values = Self.maximum.values(
                in: writer, scheduling: .async(onQueue: queue), bufferingPolicy: .bufferingNewest(1))
            let found = try await waitingValues(writer, values, on: queue)
            #expect(found == [Self.last])
        }
    }

    private struct Entry: Identifiable, Equatable, FetchableRecord, Decodable, Sendable {
        let (id, x): (Int, Int)
        init(row: Row) { (id, x) = (row[0], row[1]) }
    }

    /// Each difference is relative to the previous one, so none is skipped.
    @Test(arguments: ConnectionKind.allCases)
    func allDifferencesWait(_ kind: ConnectionKind) async throws {
        let queue = DispatchQueue(label: "values")
        let observation = ValueObservation.tracking { db in
            try Entry.fetchAll(db, sql: "SELECT rowid, x FROM t ORDER BY rowid")
        }.deltas()
        for isShared in [false, true] {
            try await withTable(kind) { writer in
                let scheduler = AsyncValueObservationScheduler.async(onQueue: queue)
                let values =
                    isShared
                    ? observation.shared(in: writer, scheduling: scheduler).values()
                    : observation.values(in: writer, scheduling: scheduler)
                var iterator = values.makeAsyncIterator()
                try await change(writer, queue)
                var entries: [Entry] = []
                while entries.last?.x != Self.last, let delta = try await iterator.next() { delta.apply(to: &entries) }
                #expect(entries.map(\.x) == Array(1...Self.last))
            }
        }
    }

    /// Values derived from differences depend on the previous ones, too; also for code that doesn't know the reducer.
    @Test func whatIsMadeOfDifferences() async throws {
        func values<Reducer: ValueReducer>(
            _ observation: ValueObservation<Reducer>, _ writer: any DatabaseWriter, _ queue: DispatchQueue
        ) -> AsyncValueObservation<Reducer.Value> {
            observation.values(in: writer, scheduling: .async(onQueue: queue))
        }
        let queue = DispatchQueue(label: "values")
        try await withTable(.memoryQueue) { writer in
            let observation = ValueObservation.tracking { db in
                try Entry.fetchAll(db, sql: "SELECT rowid, x FROM t ORDER BY rowid")
            }.deltas().map { $0.insertions.map(\.element.x) }.removeDuplicates()
            var iterator = values(observation, writer, queue).makeAsyncIterator()
            try await change(writer, queue)
            var found: [Int] = []
            while found.last != Self.last, let numbers = try await iterator.next() { found += numbers }
            #expect(found == Array(1...Self.last))
        }
    }

    private struct ConcurrentScheduler: ValueObservationScheduler {
        func immediateInitialValue() -> Bool { false }
        func schedule(_ action: @escaping @Sendable () -> Void) { startThread(action) }
    }

    /// A joining observer receives the current value on one thread, and the next one on another.
    @Test func anObserverGetsOneValueAfterTheOther() async throws {
        try await withTable(.memoryQueue) { writer in
            let shared = Self.maximum.shared(in: writer, scheduling: ConcurrentScheduler())
            let (first, second) = (Log<Int>(), Log<Int>())
            let (isRunning, mayEnd) = (Gate(), Gate())
            let one = shared.start(onError: { _ in }, onChange: first.append)
            await eventually { first.elements == [2] }
            let other = shared.start(onError: { _ in }) { value in
                if value == 2 {
                    isRunning.open()
                    mayEnd.wait()
                }
                second.append(value)
            }
            await isRunning.opened()
            try await writer.write { try $0.insert(3) }
            await eventually { first.elements == [2, 3] }
            // Time for a wrong notification to the other observer.
            try await Task.sleep(for: .milliseconds(50))
            mayEnd.open()
            await eventually { second.elements.count == 2 }
            #expect(second.elements == [2, 3])
            one.cancel()
            other.cancel()
        }
    }
}
