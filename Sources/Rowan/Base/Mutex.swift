// A value behind a lock of the system. The thread sanitizer knows that lock. It doesn't know the futex that the Mutex of
// Synchronization is made of on Linux, and reports everything that lock protects as a race.

import Foundation

/// A value that one thread at a time has access to.
package final class Mutex<Value>: @unchecked Sendable {
    // The lock has one address for its whole life.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    @exclusivity(unchecked) private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(lock, nil)
        precondition(code == 0, "could not create a lock: \(code)")
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Calls the closure with the value; other threads wait.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
