// The pace of observations: what throttle and debounce leave out, and what they never lose.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(1)))
struct ObservationPaceConcurrencyTests {
    /// An observation that counts its fetches.
    private struct Counted {
        let fetches = Log<Void>()
        let observation: ValueObservation<ValueReducers.Fetch<Int>>

        init() {
            let fetches = fetches
            observation = ValueObservation.tracking { db in
                fetches.append(())
                return try db.values().count
            }
        }
    }

    /// An hour never passes in a test: nothing is fetched but the first value.
    @Test(arguments: ConnectionKind.allCases)
    func aThrottledObservationDoesNotFetchBeforeItsTurn(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let counted = Counted()
            let recorder = counted.observation.throttle(for: .seconds(3600)).record(in: writer)
            await eventually { recorder.values == [2] }
            try await writer.fence()
            for value in 3...6 { try await writer.write { try $0.insert(value) } }
            try await writer.fence()
            #expect(recorder.values == [2])
            #expect(counted.fetches.elements.count == 1)
            recorder.cancel()
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aDebouncedObservationDoesNotFetchBeforeItIsQuiet(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let counted = Counted()
            let recorder = counted.observation.debounce(for: .seconds(3600)).record(in: writer)
            await eventually { recorder.values == [2] }
            try await writer.fence()
            for value in 3...6 { try await writer.write { try $0.insert(value) } }
            try await writer.fence()
            #expect(recorder.values == [2])
            #expect(counted.fetches.elements.count == 1)
            recorder.cancel()
        }
    }

    @Test(
        arguments: ConnectionKind.allCases,
        [(Duration.milliseconds(20), Duration.zero), (.zero, .milliseconds(20)), (.milliseconds(15), .milliseconds(5))])
    func theLastChangeIsNotified(_ kind: ConnectionKind, _ pace: (interval: Duration, quietTime: Duration)) async throws
    {
        try await withTable(kind) { writer in
            let counted = Counted()
            let recorder = counted.observation.throttle(for: pace.interval).debounce(for: pace.quietTime)
                .record(in: writer)
            await eventually { recorder.values == [2] }
            for value in 3...60 { try await writer.write { try $0.insert(value) } }
            await eventually { recorder.values.last == 60 }
            // Again, after a pause.
            try await writer.write { try $0.insert(61) }
            await eventually { recorder.values.last == 61 }
            #expect(recorder.values.last == 61)
            #expect(recorder.values == recorder.values.sorted())
            #expect(recorder.errors.isEmpty)
            recorder.cancel()
        }
    }

    /// Of two observations that share their fetches, one is throttled: the other has all values.
    @Test(arguments: ConnectionKind.allCases)
    func aPaceIsThatOfOneObservation(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let counted = Counted()
            let slow = counted.observation.throttle(for: .seconds(3600)).record(in: writer)
            let quick = counted.observation.record(in: writer)
            await eventually { slow.values == [2] && quick.values == [2] }
            try await writer.fence()
            for value in 3...6 {
                try await writer.write { try $0.insert(value) }
                await eventually { quick.values.last == value }
            }
            #expect(quick.values == [2, 3, 4, 5, 6])
            #expect(slow.values == [2])
            for recorder in [slow, quick] { recorder.cancel() }
        }
    }

    /// The value that waits for its turn is the newest one.
    @Test(arguments: ConnectionKind.allCases)
    func aSharedFetchLeavesOneValueToTheThrottledObservation(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let counted = Counted()
            let slow = counted.observation.throttle(for: .milliseconds(200)).record(in: writer)
            let quick = counted.observation.record(in: writer)
            await eventually { slow.values == [2] && quick.values == [2] }
            try await writer.fence()
            for value in 3...30 { try await writer.write { try $0.insert(value) } }
            await eventually { slow.values.last == 30 && quick.values.last == 30 }
            #expect(slow.values.last == 30)
            #expect(slow.values.count <= quick.values.count)
            for recorder in [slow, quick] { recorder.cancel() }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func anErrorDoesNotWait(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let failing = ValueObservation.tracking { db in
                guard try db.values().count < 3 else { throw Refusal() }
                return 0
            }.throttle(for: .milliseconds(50))
            let recorder = failing.record(in: writer)
            await eventually { recorder.values == [0] }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { recorder.errors.count == 1 }
            #expect(recorder.errors.first is Refusal)
            #expect(recorder.values == [0])
        }
    }

    /// Cancelling while a value waits releases what the closures hold.
    @Test(arguments: ConnectionKind.allCases)
    func aCancelledObservationWaitsForNothing(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            final class Token: Sendable {}
            weak let weakToken: Token?
            do {
                let token = Token()
                weakToken = token
                let observation = ValueObservation.tracking { db in
                    withExtendedLifetime(token) {}
                    return try db.values().count
                }
                let recorder = observation.throttle(for: .seconds(3600)).record(in: writer)
                await eventually { recorder.values == [2] }
                try await writer.fence()
                try await writer.write { try $0.insert(3) }
                recorder.cancel()
            }
            try await writer.fence()
            await eventually { weakToken == nil }
            #expect(weakToken == nil)
        }
    }

    @Test @MainActor func theImmediateValueBeginsAnInterval() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2)") }
        let log = Log<Int>()
        let cancellable = Counted().observation.throttle(for: .seconds(3600)).start(
            in: queue, scheduling: .immediate, onError: { _ in }, onChange: { log.append($0) })
        #expect(log.elements == [2])
        try await queue.write { try $0.insert(3) }
        try await queue.fence()
        #expect(log.elements == [2])
        cancellable.cancel()
    }

    @Test(arguments: [Duration.seconds(-1), .seconds(Int64.max), .nanoseconds(1)])
    func anyDurationIsAPace(_ duration: Duration) async throws {
        try await withTable(.pool) { writer in
            let throttled = Counted().observation.throttle(for: duration).record(in: writer)
            let debounced = Counted().observation.debounce(for: duration).record(in: writer)
            await eventually { throttled.values == [2] && debounced.values == [2] }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            if duration < .seconds(1) {
                await eventually { throttled.values == [2, 3] && debounced.values == [2, 3] }
            } else {
                try await writer.fence()
            }
            let expected = duration < .seconds(1) ? [2, 3] : [2]
            #expect(throttled.values == expected)
            #expect(debounced.values == expected)
        }
    }
}
