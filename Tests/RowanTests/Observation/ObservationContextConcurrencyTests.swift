// The contexts in which observations start and end: tasks, actors, accesses and closures of observations; with more
// observers than readers.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct ObservationContextConcurrencyTests {
    private static func counting() -> ValueObservation<ValueReducers.Fetch<Int>> {
        .tracking { try $0.values().count }
    }

    /// Each observation has separate fetches, and all wait for one reader.
    @Test(arguments: ConnectionKind.concurrent)
    func moreObserversThanReaders(_ kind: ConnectionKind) async throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try await withTable(kind, configuration) { writer in
            let recorders = (0..<100).map { _ in Self.counting().record(in: writer) }
            async let reads: Void = onThreads(4) { _ in
                for _ in 0..<20 { _ = try writer.values() }
            }
            for value in 3...20 { try await writer.write { try $0.insert(value) } }
            try await reads
            await eventually { recorders.allSatisfy { $0.values.last == 20 } }
            for recorder in recorders {
                #expect(recorder.values.last == 20)
                #expect(recorder.values == recorder.values.sorted())
                recorder.cancel()
            }
        }
    }

    private actor Observer {
        private(set) var values: [Int] = []
        private var cancellable: AnyDatabaseCancellable?

        func start(in writer: any DatabaseWriter) {
            cancellable = ObservationContextConcurrencyTests.counting().start(in: writer, scheduling: .task) {
                Issue.record($0)
            } onChange: { value in
                Task { await self.add(value) }
            }
        }

        func follow(_ writer: any DatabaseWriter, until last: Int) async throws {
            for try await value in ObservationContextConcurrencyTests.counting().values(in: writer) {
                add(value)
                if value == last { break }
            }
        }

        private func add(_ value: Int) { values.append(value) }
        func cancel() { cancellable = nil }
    }

    @Test(arguments: ConnectionKind.allCases)
    func actorsObserve(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let (starting, following) = (Observer(), Observer())
            await starting.start(in: writer)
            async let end: Void = following.follow(writer, until: 5)
            for value in 3...5 { try await writer.write { try $0.insert(value) } }
            try await end
            // The suite's time limit ends the loop if the value never arrives.
            while await !starting.values.contains(5) { await Task.yield() }
            await #expect(following.values.last == 5)
            await starting.cancel()
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func taskGroupsAndDetachedTasksObserve(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let last = 30
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var seen: Int?
                        for try await value in Self.counting().values(in: writer) {
                            seen = value
                            if value == last { break }
                        }
                        return seen
                    }
                }
                let detached = Task.detached { () -> Int? in
                    for try await value in Self.counting().values(in: writer) where value == last { return value }
                    return nil
                }
                for value in 3...last { try await writer.write { try $0.insert(value) } }
                for try await seen in group { #expect(seen == last) }
                try await #expect(detached.value == last)
            }
        }
    }

    /// The closure of an observation ends it, together with its pending notifications.
    @Test(arguments: ConnectionKind.allCases)
    func anObservationCancelsItself(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let (log, cancellable) = (Log<Int>(), Mutex<AnyDatabaseCancellable?>(nil))
            let queue = DispatchQueue(label: "self")
            let isStored = Gate()
            let started = Self.counting().start(in: writer, scheduling: .async(onQueue: queue)) {
                Issue.record($0)
            } onChange: { value in
                isStored.wait()
                log.append(value)
                cancellable.withLock { $0 }?.cancel()
            }
            cancellable.withLock { $0 = started }
            for value in 3...6 { try await writer.write { try $0.insert(value) } }
            isStored.open()
            try await writer.fence()
            queue.sync {}
            #expect(log.elements.count == 1)
            try await writer.write { try $0.insert(7) }
            try await writer.fence()
            queue.sync {}
            #expect(log.elements.count == 1)
        }
    }

    /// An observation starts and ends inside accesses, also during a transaction.
    @Test(arguments: ConnectionKind.allCases)
    func insideAccesses(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let (recorder, ended) = (Recorder<Int>(), Recorder<Int>())
            try await writer.write { db in
                try db.insert(3)
                recorder.start(Self.counting(), in: writer)
                ended.start(Self.counting(), in: writer)
                try db.insert(4)
            }
            await eventually { recorder.values.last == 4 && ended.values.last == 4 }
            try await writer.read { _ in ended.cancel() }
            try await writer.write { db in
                try db.insert(5)
                recorder.start(Self.counting(), in: writer)
                try db.insert(6)
            }
            await eventually { recorder.values.last == 6 }
            #expect(recorder.values.last == 6)
            #expect(ended.values.last == 4)
            #expect(recorder.errors.isEmpty)
            recorder.cancel()
        }
    }

    /// Inside an access, the first value can't be fetched immediately, so an error is notified instead.
    @Test @MainActor func immediatelyInsideAnAccess() throws {
        let queue = try DatabaseQueue()
        let log = Log<String>()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(x)")
            let cancellable = Self.counting().start(
                in: queue, scheduling: .immediate,
                onError: { log.append(($0 as? DatabaseError)?.message ?? "\($0)") }, onChange: { log.append("\($0)") })
            withExtendedLifetime(cancellable) {}
        }
        #expect(log.elements.count == 1)
        #expect(log.elements.first?.hasPrefix("database accesses are not reentrant") == true)
    }

    /// An observation that fails immediately fetches nothing afterwards.
    @Test @MainActor func aFailedImmediateStart() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
        let (fetches, errors) = (Log<Void>(), Log<String>())
        let observation = ValueObservation.tracking { db in
            fetches.append(())
            return try db.values().count
        }.map { _ -> Int in throw Refusal() }
        let cancellable = observation.start(
            in: queue, scheduling: .immediate, onError: { errors.append("\($0)") }, onChange: { _ in })
        #expect(errors.elements == ["Refusal()"])
        try await queue.write { try $0.insert(3) }
        try await queue.fence()
        #expect(fetches.elements.count == 1)
        cancellable.cancel()
    }

    /// Closing succeeds, and only ends the notifications.
    @Test(arguments: ConnectionKind.allCases)
    func closing(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let recorder = Self.counting().record(in: writer)
            await eventually { recorder.values == [2] }
            try await writer.fence()
            try writer.close()
            let late = Self.counting().record(in: writer)
            await eventually { late.errors.count == 1 }
            #expect((late.errors.first as? DatabaseError)?.message == "connection is closed")
            #expect(recorder.values == [2])
            recorder.cancel()
        }
    }
}
