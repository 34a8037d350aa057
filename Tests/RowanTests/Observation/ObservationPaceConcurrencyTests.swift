// The pace of observations: the values that throttle and debounce omit, and those that they never lose.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
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

    /// An hour never passes in a test, so only the first value is fetched.
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
            // The same again after a pause.
            try await writer.write { try $0.insert(61) }
            await eventually { recorder.values.last == 61 }
            #expect(recorder.values.last == 61)
            #expect(recorder.values == recorder.values.sorted())
            #expect(recorder.errors.isEmpty)
            recorder.cancel()
        }
    }

    /// If one of two observations that share their fetches is throttled, the other still receives all values.
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

    /// The pending value is the latest one.
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

    /// Another observation's fetch fails while this one waits for an hour.
    @Test(arguments: ConnectionKind.allCases)
    func anErrorDoesNotWait(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let failing = ValueObservation.tracking { db in
                guard try db.values().count < 4 else { throw Refusal() }
                return try db.values().count
            }
            let (slow, quick) = (failing.throttle(for: .seconds(3600)).record(in: writer), failing.record(in: writer))
            await eventually { slow.values == [2] && quick.values == [2] }
            try await writer.fence()
            try await writer.write { try $0.insert(3) }
            await eventually { quick.values == [2, 3] }
            #expect(slow.values == [2])
            try await writer.write { try $0.insert(4) }
            await eventually { slow.errors.count == 1 && quick.errors.count == 1 }
            // A value fetched before the error is notified before it.
            #expect(slow.values == [2, 3])
            #expect(slow.errors.first is Refusal)
        }
    }

    /// A slow program's pending value is the latest one, rather than one per interval.
    @Test(arguments: ConnectionKind.allCases)
    func aSlowProgramIsNotNotifiedOfOldValues(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let queue = DispatchQueue(label: "slow")
            let (isBusy, mayGoOn) = (Gate(), Gate())
            let recorder = Recorder<Int>()
            recorder.start(Counted().observation.throttle(for: .milliseconds(1)), in: writer, on: queue)
            await eventually { recorder.values == [2] }
            try await writer.fence()
            queue.async {
                isBusy.open()
                mayGoOn.wait()
            }
            await isBusy.opened()
            for value in 3...30 {
                try await writer.write { try $0.insert(value) }
                // The interval has passed.
                let beginning = Uptime.now
                await eventually { Uptime.now > beginning + 1_000_000 }
            }
            try await writer.fence()
            mayGoOn.open()
            await eventually { recorder.values.last == 30 }
            #expect(recorder.values.last == 30)
            // The scheduled value, the pending value, and the last one.
            #expect(recorder.values.count <= 4)
            recorder.cancel()
        }
    }

    /// The first value is notified despite continuous changes.
    @Test(arguments: ConnectionKind.allCases)
    func theFirstValueWaitsForNoTurn(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let recorder = Recorder<Int>()
            try await writer.write { db in
                let observation = Counted().observation.debounce(for: .seconds(3600)).map { $0 }
                recorder.start(observation, in: writer)
                try db.insert(3)
            }
            for value in 4...10 { try await writer.write { try $0.insert(value) } }
            await eventually { !recorder.values.isEmpty }
            #expect(recorder.values.count == 1)
            recorder.cancel()
        }
    }

    /// Cancelling with a pending value releases the objects captured by the closures.
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

    @Test(arguments: [
        Duration.seconds(-1), .seconds(Int64.max), .nanoseconds(1), .seconds(18_446_744_073) + .milliseconds(800),
    ])
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
