import Dispatch
import Foundation

/// Runs a closure on several threads, and waits for them.
public func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let (group, errors) = (DispatchGroup(), Locked<[any Error]>([]))
    for index in 0..<count {
        group.enter()
        Thread.detachNewThread {
            do { try body(index) } catch { errors.withLock { $0.append(error) } }
            group.leave()
        }
    }
    group.wait()
    if let error = errors.withLock({ $0.first }) { throw error }
}

/// Runs a closure on a thread.
///
/// - Returns: a closure that waits for the thread.
public func background(_ body: @escaping @Sendable () throws -> Void) -> () throws -> Void {
    let (group, failure) = (DispatchGroup(), Locked<(any Error)?>(nil))
    group.enter()
    Thread.detachNewThread {
        do { try body() } catch { failure.withLock { $0 = error } }
        group.leave()
    }
    return {
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// Runs a closure in a task, and blocks the thread until it has finished.
public func inTask<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let (semaphore, result) = (DispatchSemaphore(value: 0), Locked<Result<Value, any Error>?>(nil))
    Task.detached {
        do {
            let value = try await body()
            result.withLock { $0 = .success(value) }
        } catch {
            result.withLock { $0 = .failure(error) }
        }
        semaphore.signal()
    }
    semaphore.wait()
    return try result.withLock { $0! }.get()
}

/// The nanoseconds since an arbitrary time.
public func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// A value protected by a lock.
public final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    public init(_ value: Value) {
        self.value = value
    }

    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// The last value of each observation, and a thread that waits for the expected values.
public final class Deliveries: Sendable {
    private struct State {
        var values: [Int?]
        var expected: [Int]
        var missing: Int
        var lastDelivery: UInt64 = 0
    }

    private let state: Locked<State>
    private let semaphore = DispatchSemaphore(value: 0)

    /// Expects a first value for each observation.
    public init(_ expected: [Int]) {
        let values = [Int?](repeating: nil, count: expected.count)
        state = Locked(State(values: values, expected: expected, missing: expected.count))
    }

    /// Expects other values. Call this before the change that causes them.
    public func expect(_ expected: [Int]) {
        state.withLock {
            $0.expected = expected
            $0.missing = zip($0.values, expected).count { $0 != $1 }
            if $0.missing == 0 { semaphore.signal() }
        }
    }

    /// Records a value of an observation.
    public func deliver(_ value: Int, to index: Int) {
        state.withLock {
            let (wasExpected, isExpected) = ($0.values[index] == $0.expected[index], value == $0.expected[index])
            $0.values[index] = value
            guard wasExpected != isExpected else { return }
            $0.missing += isExpected ? -1 : 1
            guard $0.missing == 0 else { return }
            $0.lastDelivery = now()
            semaphore.signal()
        }
    }

    /// Blocks the thread until the expected values have been delivered.
    ///
    /// - Returns: the time at which the last one was delivered.
    public func wait() throws -> UInt64 {
        guard semaphore.wait(timeout: .now() + 120) == .success else { throw MissingDelivery() }
        return state.withLock { $0.lastDelivery }
    }

    public var values: [Int] { state.withLock { $0.values.map { $0 ?? -1 } } }
}

struct MissingDelivery: Error, CustomStringConvertible {
    var description: String { "an observation has not delivered its last value within two minutes" }
}
