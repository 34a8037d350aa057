// The gate to connections, in isolation: which access is served, and when.

import Dispatch
import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct AccessLaneConcurrencyTests {
    struct OpeningError: Error {}

    /// A lane whose connections open if the closure doesn't throw.
    private func makeLane(
        capacity: Int, opens: @escaping @Sendable (_ attempt: Int) throws -> Void = { _ in }
    ) -> AccessLane {
        let attempts = Mutex(0)
        return AccessLane(capacity: capacity, isWriter: false, label: "test", qos: .default, target: nil) { queues in
            try opens(
                attempts.withLock {
                    $0 += 1
                    return $0
                })
            return try PooledConnection(path: ":memory:", configuration: Configuration(), queues: queues)
        }
    }

    /// A waiter that opens the connection if it receives a slot without one, like accesses.
    private func waiter(_ name: String, _ log: Log<String>, _ lane: AccessLane) -> AccessLane.Waiter {
        AccessLane.Waiter { [unowned lane] result in
            do {
                _ = try lane.connection(of: result.get())
                log.append(name)
            } catch {
                log.append("\(name): \(error)")
            }
        }
    }

    @Test func waitersAreServedInOrder() throws {
        let lane = makeLane(capacity: 1)
        let log = Log<String>()
        let connection = try lane.acquire()
        for name in ["a", "b", "c"] { try lane.enqueue(waiter(name, log, lane)) }
        #expect(log.elements == [])
        for _ in 0..<3 { lane.release(connection) }
        #expect(log.elements == ["a", "b", "c"])
    }

    @Test func aCancelledWaiterGivesItsTurnAway() throws {
        let lane = makeLane(capacity: 1)
        let log = Log<String>()
        let connection = try lane.acquire()
        let second = waiter("b", log, lane)
        try lane.enqueue(waiter("a", log, lane))
        try lane.enqueue(second)
        try lane.enqueue(waiter("c", log, lane))
        #expect(lane.cancel(second))
        #expect(!lane.cancel(second))
        for _ in 0..<2 { lane.release(connection) }
        #expect(log.elements == ["a", "c"])
    }

    @Test func aWaiterThatWasServedIsNotCancelled() throws {
        let lane = makeLane(capacity: 1)
        let log = Log<String>()
        let served = waiter("a", log, lane)
        try lane.enqueue(served)
        #expect(!lane.cancel(served))
        #expect(log.elements == ["a"])
    }

    /// All waiters arrive while the only connection is being opened, which fails.
    @Test func aFailedOpeningServesAllWaiters() throws {
        let log = Log<String>()
        let late = Mutex<AccessLane?>(nil)
        let lane = makeLane(capacity: 1) { attempt in
            guard attempt == 1 else { return }
            let lane = late.withLock { $0! }
            for name in ["a", "b", "c"] { try lane.enqueue(waiter(name, log, lane)) }
            throw OpeningError()
        }
        late.withLock { $0 = lane }
        #expect(throws: OpeningError.self) { try lane.acquire() }
        #expect(log.elements == ["a"])
        let connection = try #require(lane.allConnections.first)
        lane.release(connection)
        lane.release(connection)
        #expect(log.elements == ["a", "b", "c"])
    }

    @Test func openingsThatAllFailAnswerAllWaiters() throws {
        let log = Log<String>()
        let late = Mutex<AccessLane?>(nil)
        let lane = makeLane(capacity: 1) { attempt in
            let lane = late.withLock { $0! }
            if attempt == 1 {
                for name in ["a", "b", "c"] { try lane.enqueue(waiter(name, log, lane)) }
            }
            if attempt <= 4 { throw OpeningError() }
        }
        late.withLock { $0 = lane }
        #expect(throws: OpeningError.self) { try lane.acquire() }
        // Each access passes the slot on before it reports its own error.
        #expect(log.elements == ["c: OpeningError()", "b: OpeningError()", "a: OpeningError()"])
        // The slot is free again.
        lane.release(try lane.acquire())
    }

    @Test func anExclusiveAccessWaitsForAllConnections() async throws {
        let lane = makeLane(capacity: 2)
        let first = try lane.acquire()
        let second = try lane.acquire()
        let log = Log<String>()
        let started = Gate()
        async let exclusive: Void = onThread {
            started.open()
            try lane.exclusively { connections in
                log.append("exclusive \(connections.count)")
                // In the meantime, a new access does not get an idle connection.
                try lane.enqueue(waiter("newcomer", log, lane))
            }
        }
        await started.opened()
        log.append("release")
        lane.release(first)
        lane.release(second)
        try await exclusive
        #expect(log.elements == ["release", "exclusive 2", "newcomer"])
    }

    @Test func aFailedOpeningLetsAnExclusiveAccessIn() async throws {
        let gate = Gate()
        let opening = Gate()
        let lane = makeLane(capacity: 2) { attempt in
            if attempt == 2 {
                opening.open()
                gate.wait()
                throw OpeningError()
            }
        }
        let first = try lane.acquire()
        async let failed: Void = onThread { #expect(throws: OpeningError.self) { try lane.acquire() } }
        await opening.opened()
        async let exclusive = onThread { try lane.exclusively { $0.count } }
        lane.release(first)
        gate.open()
        try await failed
        #expect(try await exclusive == 1)
    }

    @Test func closingRefusesThoseWhoWait() async throws {
        let lane = makeLane(capacity: 1)
        let log = Log<String>()
        let connection = try lane.acquire()
        let isClosing = Gate()
        async let closed: Void = onThread {
            isClosing.open()
            try lane.close()
        }
        await isClosing.opened()
        try? lane.enqueue(waiter("a", log, lane))
        lane.release(connection)
        // Regardless of the order, it never gets a connection that the closing has missed.
        if log.elements == ["a"] { lane.release(connection) }
        try await closed
        #expect(lane.allConnections.isEmpty)
        #expect(throws: DatabaseError.self) { try lane.acquire() }
        #expect(throws: DatabaseError.self) { try lane.enqueue(waiter("b", log, lane)) }
        #expect(log.elements.count == 1)
        try lane.close()
    }

    @Test func waitersOfAnExclusiveClosingFail() async throws {
        let lane = makeLane(capacity: 1)
        let log = Log<String>()
        let connection = try lane.acquire()
        async let closed: Void = onThread { try lane.close() }
        while lane.state.withLock({ $0.exclusive == nil }) { await Task.yield() }
        try lane.enqueue(waiter("a", log, lane))
        #expect(log.elements == [])
        lane.release(connection)
        try await closed
        #expect(log.elements == ["a: \(DatabaseError.connectionIsClosed)"])
        #expect(lane.allConnections.isEmpty)
    }

    @Test func nestedAccessIsAnError() throws {
        let lane = makeLane(capacity: 2)
        let connection = try lane.acquire()
        connection.run { _ in
            let error = #expect(throws: DatabaseError.self) { try lane.acquire() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.contains("not reentrant") == true)
            #expect(throws: DatabaseError.self) { try lane.exclusively { _ in } }
        }
        lane.release(connection)
        lane.release(try lane.acquire())
    }

    /// A connection that can't close stays usable, and so do the others.
    @Test func aConnectionThatCannotCloseStays() throws {
        let lane = makeLane(capacity: 2)
        let first = try lane.acquire()
        let second = try lane.acquire()
        var statement: Statement? = try first.run { try $0.makeStatement(sql: "SELECT 1") }
        lane.release(first)
        lane.release(second)
        #expect(throws: DatabaseError.self) { try lane.closeConnections() }
        let one = try lane.acquire()
        let two = try lane.acquire()
        for connection in [one, two] {
            let value = try connection.run { try Int.fetchOne($0, sql: "SELECT 1") }
            #expect(value == 1)
        }
        lane.release(one)
        lane.release(two)
        withExtendedLifetime(statement) {}
        statement = nil
        try lane.closeConnections()
        #expect(lane.allConnections.isEmpty)
    }

    /// One queue reports all failures, rather than one thread per failure.
    @Test func failuresShareAQueue() {
        let lane = makeLane(capacity: 1)
        #expect(lane.failureQueue === lane.failureQueue)
    }
}
