// The ends of accesses: completed, thrown, cancelled before, while waiting or while running, closed. After each,
// nothing is retained: no closure, no captured object, no descriptor.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct AccessEndsConcurrencyTests {
    struct Refusal: Error {}

    /// Counts live objects.
    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }

    private final class Witness: Sendable {
        private let counter: Counter
        init(_ counter: Counter) {
            self.counter = counter
            counter.add(1)
        }
        deinit { counter.add(-1) }
    }

    /// The asynchronous verbs.
    enum Verb: CaseIterable, Sendable {
        case read, unsafeRead, write, writeWithoutTransaction, barrierWrite
        case asyncRead, asyncUnsafeRead, asyncWrite, asyncWriteWithoutTransaction, asyncBarrierWrite

        /// Whether a task runs it and can be cancelled.
        var isAwaited: Bool {
            switch self {
            case .read, .unsafeRead, .write, .writeWithoutTransaction, .barrierWrite: true
            case .asyncRead, .asyncUnsafeRead, .asyncWrite, .asyncWriteWithoutTransaction, .asyncBarrierWrite: false
            }
        }

        static let awaited = allCases.filter(\.isAwaited)

        func run(_ writer: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> Void) async throws {
            switch self {
            case .read: try await writer.read(body)
            case .unsafeRead: try await writer.unsafeRead(body)
            case .write: try await writer.write(body)
            case .writeWithoutTransaction: try await writer.writeWithoutTransaction(body)
            case .barrierWrite: try await writer.barrierWriteWithoutTransaction(body)
            case .asyncRead: try await called { done in writer.asyncRead { db in done { try body(db.get()) } } }
            case .asyncUnsafeRead:
                try await called { done in writer.asyncUnsafeRead { db in done { try body(db.get()) } } }
            case .asyncWrite:
                try await called { done in
                    writer.asyncWrite {
                        try body($0)
                    } completion: { _, result in
                        done { try result.get() }
                    }
                }
            case .asyncWriteWithoutTransaction:
                try await called { done in
                    writer.asyncWriteWithoutTransaction { db in done { try body(db) } }
                }
            case .asyncBarrierWrite:
                try await called { done in
                    writer.asyncBarrierWriteWithoutTransaction { db in done { try body(db.get()) } }
                }
            }
        }

        /// Waits for a callback.
        private func called(
            _ schedule: (@escaping @Sendable (() throws -> Void) -> Void) -> Void
        ) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                schedule { body in continuation.resume(with: Result { try body() }) }
            }
        }
    }

    /// Waits until all objects are released: the thread that ran the access releases the last reference.
    private func expectGone(_ counter: Counter, _ comment: String) async {
        await eventually { counter.value == 0 }
        #expect(counter.value == 0, "\(comment)")
    }

    @Test(arguments: ConnectionKind.allCases)
    func nothingIsKeptOfAnAccess(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            for verb in Verb.allCases {
                let counter = Counter()
                for number in 0..<40 {
                    let witness = Witness(counter)
                    let fails = number.isMultiple(of: 2)
                    do {
                        try await verb.run(writer) { db in
                            withExtendedLifetime(witness) {}
                            _ = try db.values()
                            if fails { throw Refusal() }
                        }
                        #expect(!fails)
                    } catch { #expect(fails && error is Refusal, "\(error)") }
                }
                await expectGone(counter, "\(verb)")
            }
        }
    }

    /// Cancelled before it starts, and while it waits for another access.
    @Test(arguments: ConnectionKind.allCases)
    func nothingIsKeptOfACancelledAccess(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            for verb in Verb.awaited {
                let counter = Counter()
                await cancelAtOnce(verb, writer, Witness(counter))
                await expectGone(counter, "\(verb) before")
                await waitAndCancel(verb, writer, counter)
                await expectGone(counter, "\(verb) waiting")
            }
        }
    }

    private func cancelAtOnce(_ verb: Verb, _ writer: any DatabaseWriter, _ witness: consuming Witness) async {
        let task = Task { [witness] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await verb.run(writer) { _ in withExtendedLifetime(witness) {} }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    private func waitAndCancel(_ verb: Verb, _ writer: any DatabaseWriter, _ counter: Counter) async {
        let isBusy = Gate()
        let mayEnd = Gate()
        // A barrier occupies all connections.
        async let barrier: Void = onThread {
            try writer.barrierWriteWithoutTransaction { _ in
                isBusy.open()
                mayEnd.wait()
            }
        }
        await isBusy.opened()
        let tasks = (0..<10).map { _ in
            let witness = Witness(counter)
            return Task { try await verb.run(writer) { _ in withExtendedLifetime(witness) {} } }
        }
        for task in tasks {
            task.cancel()
            do {
                try await task.value
                Issue.record("\(verb) ran")
            } catch { #expect(error is CancellationError, "\(error)") }
        }
        mayEnd.open()
        // The error of the barrier doesn't matter.
        try? await barrier
    }

    /// Connections that are used asynchronously and then released are closed.
    @Test(arguments: ConnectionKind.files)
    func droppedConnectionsClose(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        // A callback runs before its access ends, so the next connection may encounter the lock of the previous one.
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        func isOpen() throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains { descriptor in
                // A descriptor that has been closed in the meantime has no target.
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                return file?.hasPrefix(path) == true
            }
        }
        for round in 0..<3 {
            for verb in Verb.allCases {
                let writer = try kind.make(path: path, configuration)
                try await verb.run(writer) { db in _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") }
            }
            try await eventually { try !isOpen() }
            try #expect(!isOpen(), "round \(round)")
        }
        withExtendedLifetime(folder) {}
    }

    // MARK: In the task

    @TaskLocal private static var name = "none"

    @Test(arguments: ConnectionKind.allCases)
    func accessesRunInTheirTask(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            for verb in Verb.awaited {
                let names = Log<String>()
                try await Self.$name.withValue("\(verb)") {
                    try await verb.run(writer) { _ in names.append(Self.name) }
                }
                #expect(names.elements == ["\(verb)"])
                let isRunning = Gate()
                let isCancelled = Gate()
                let seen = Log<Bool>()
                let task = Task {
                    try await verb.run(writer) { _ in
                        isRunning.open()
                        isCancelled.wait()
                        seen.append(Task.isCancelled)
                    }
                }
                await isRunning.opened()
                task.cancel()
                isCancelled.open()
                _ = await task.result
                #expect(seen.elements == [true])
            }
        }
    }

    /// The result of a read is valid, even if its task is cancelled in the meantime.
    @Test(arguments: ConnectionKind.allCases)
    func aReadThatHasSucceeded(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let hasRead = Gate()
            let isCancelled = Gate()
            let task = Task {
                try await writer.read { db in
                    let values = try db.values()
                    hasRead.open()
                    isCancelled.wait()
                    return values
                }
            }
            await hasRead.opened()
            task.cancel()
            isCancelled.open()
            let values = try await task.value
            #expect(values == [1, 2])
        }
    }

    // MARK: Cancellation

    /// A cancellation just before the step of an endless statement is not lost.
    @Test(arguments: ConnectionKind.allCases)
    func aCancellationBeforeTheStep(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            for _ in 0..<20 {
                let isReady = Gate()
                let task = Task {
                    try await writer.read { db in
                        let statement = try db.makeStatement(
                            sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT COUNT(*) FROM c")
                        isReady.open()
                        try statement.execute()
                    }
                }
                await isReady.opened()
                task.cancel()
                do {
                    try await task.value
                    Issue.record("an endless statement has ended")
                } catch { #expect(error is CancellationError, "\(error)") }
            }
            try await #expect(writer.values() == [1, 2])
        }
    }

    /// A cancelled access stops waiting for a lock.
    @Test(arguments: ConnectionKind.files, [false, true])
    func aCancellationWhileALockIsWaitedFor(_ kind: ConnectionKind, _ hasCallback: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let isWaiting = Gate()
        var configuration = Configuration()
        // Without limit, except for the cancellation.
        configuration.busyMode = hasCallback ? .callback { _ in true } : .timeout(.infinity)
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("ready", argumentCount: 0) { _ in
                    isWaiting.open()
                    return 1
                })
        }
        let writer = try kind.make(path: path, configuration)
        try await writer.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        var unsafe = Configuration()
        unsafe.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: unsafe)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let task = Task {
            try await writer.writeWithoutTransaction { db in
                _ = try Int.fetchOne(db, sql: "SELECT ready()")
                try db.insert(1)
            }
        }
        await isWaiting.opened()
        task.cancel()
        do {
            try await task.value
            Issue.record("the insertion did not wait for the lock")
        } catch { #expect(error is CancellationError, "\(error)") }
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await writer.write { try $0.insert(2) }
        try await #expect(writer.values() == [2])
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [-1, 0, .nan, 0.001] as [TimeInterval])
    func timeoutsThatEnd(_ timeout: TimeInterval) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        var configuration = Configuration()
        configuration.busyMode = .timeout(timeout)
        let one = try DatabaseQueue(path: path, configuration: configuration)
        let two = try DatabaseQueue(path: path, configuration: configuration)
        try one.inTransaction(.immediate) { _ in
            expectError(.SQLITE_BUSY) { try two.write { _ in } }
            return .commit
        }
        withExtendedLifetime(folder) {}
    }

    // MARK: Threads

    /// Blocked accesses don't prevent other connections from running.
    @Test(arguments: ConnectionKind.allCases)
    func blockedAccessesBlockNobodyElse(_ kind: ConnectionKind) async throws {
        let mayEnd = Gate()
        let allAreBlocked = Gate()
        let blocked = Mutex(0)
        let folder = try TemporaryFolder()
        let writers = try (0..<16).map { try kind.make(path: folder.path("\($0).sqlite")) }
        let tasks = writers.map { writer in
            Task {
                try await writer.write { _ in
                    let count = blocked.withLock { count in
                        count += 1
                        return count
                    }
                    if count == 16 { allAreBlocked.open() }
                    mayEnd.wait()
                }
            }
        }
        await allAreBlocked.opened()
        let free = try kind.make(path: folder.path("free.sqlite"))
        let value = try await free.write { try Int.fetchOne($0, sql: "SELECT 1") }
        #expect(value == 1)
        mayEnd.open()
        for task in tasks { try await task.value }
        withExtendedLifetime(folder) {}
    }

    /// The writer occupies a serial target queue while it waits for the read.
    @Test(arguments: ConnectionKind.concurrent)
    func aSerialTargetQueue(_ kind: ConnectionKind) async throws {
        var configuration = Configuration()
        configuration.targetQueue = DispatchQueue(label: "serial")
        try await withTable(kind, configuration) { writer in
            let counts = Log<Int>()
            let isDone = Gate()
            try await writer.writeWithoutTransaction { db in
                writer.spawnConcurrentRead { result in
                    counts.append((try? result.get().values().count) ?? -1)
                    isDone.open()
                }
                try db.insert(3)
            }
            await isDone.opened()
            #expect(counts.elements == [2])
        }
    }
}
