// Locks of the system, which the thread sanitizer understands. On Linux, Synchronization's Mutex is built on a futex that
// the sanitizer does not understand: it reports everything that lock protects as a race.

import RowanPlatform

/// A value that only one thread at a time can access.
package final class Mutex<Value>: @unchecked Sendable {
    // The lock keeps its address for its whole lifetime.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    @exclusivity(unchecked) private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(lock, nil)
        precondition(code == 0, "pthread_mutex_init failed with code \(code)")
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Calls the closure with the value while other threads wait.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}

/// A lock that the thread holding it can take again.
final class RecursiveLock: @unchecked Sendable {
    // The lock keeps its address for its whole lifetime.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        defer { pthread_mutexattr_destroy(&attributes) }
        pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_RECURSIVE))
        let code = pthread_mutex_init(lock, &attributes)
        precondition(code == 0, "pthread_mutex_init failed with code \(code)")
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Calls the closure while other threads wait.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body()
    }
}
