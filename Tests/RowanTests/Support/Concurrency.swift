// Threads and gates. A blocking test blocks its own threads, never those of Swift's executors.

import Dispatch
import Foundation
import Rowan
import Testing

/// A gate that opens once, for all waiters.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() {
        semaphore.wait()
        semaphore.signal()
    }

    /// Waits in a task.
    func opened() async {
        await withCheckedContinuation { continuation in
            startThread {
                self.wait()
                continuation.resume()
            }
        }
    }
}

/// A list that threads append to.
final class Log<Element: Sendable>: Sendable {
    private let storage = Mutex<[Element]>([])
    var elements: [Element] { storage.withLock { $0 } }
    func append(_ element: Element) { storage.withLock { $0.append(element) } }
}

func startThread(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread { body() }
    thread.stackSize = 1 << 20
    thread.start()
}

/// Runs the closure on a new thread, and returns its result to the task.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Runs the closure on several threads at once, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count { group.addTask { try await onThread { try body(index) } } }
        try await group.waitForAll()
    }
}

/// Waits until a condition holds, because the end of work on another thread has no event. After a minute, the test
/// fails.
func eventually(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool) async rethrows {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("the condition does not hold after a minute", sourceLocation: sourceLocation)
            return
        }
        // In a cancelled test, the sleep returns immediately.
        try? await Task.sleep(for: .milliseconds(2))
    }
}

struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
