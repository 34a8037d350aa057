// A clock that a test moves.

public import Foundation
public import RowanJobs
import Synchronization

/// A clock of jobs that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualJobClock()
/// jobs.clock = clock
/// try await queue.write { db in try jobs.enqueue(SendReminder(), .after(.seconds(3_600)), in: db) }
/// clock.advance(by: .seconds(3_600))
/// try await jobs.runAll(on: queue)
/// ```
public final class ManualJobClock: JobClock {
    private struct Sleeper {
        let end: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Date
        var uptime = Duration.zero
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state: Mutex<State>

    /// Creates a clock.
    ///
    /// - Parameter now: the time that the clock shows; by default, 2025-01-01 at midnight in UTC.
    public init(now: Date = Date(timeIntervalSince1970: 1_735_689_600)) { state = Mutex(State(now: now)) }

    public var now: Date { state.withLock { $0.now } }
    public var uptime: Duration { state.withLock { $0.uptime } }

    /// Lets time pass.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.uptime += duration
            state.now += duration / .seconds(1)
            let woken = state.sleepers.filter { $0.value.end <= state.uptime }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken.values.sorted { $0.end < $1.end }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Sets the time of day, as an operator of the system does. No time passes.
    public func set(_ now: Date) { state.withLock { $0.now = now } }

    public func sleep(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if duration <= .zero { return .success(()) }
                    state.sleepers[id] = Sleeper(end: state.uptime + duration, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                // The task may not sleep yet.
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
