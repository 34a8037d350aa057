// Threads: work that never waits for one, and pauses that nothing else can end.

package import Dispatch
import RowanPlatform

/// Runs work on another thread, now or later.
///
/// The system's global queues have as many threads as there are processors, and on Linux, tasks share them: work that
/// waits there may block all tasks, and work that others wait for may never start. A serial queue always has a thread.
package func onOtherThread(
    at time: DispatchTime? = nil, qos: DispatchQoS = .default, _ body: @escaping @Sendable () -> Void
) {
    let queue = DispatchQueue(label: "Rowan", qos: qos)
    if let time { queue.asyncAfter(deadline: time, execute: body) } else { queue.async(execute: body) }
}

/// Blocks the current thread for less than a second.
package func pauseThread(for duration: Duration) {
    usleep(UInt32(clamping: Int(min(duration, .milliseconds(999)) / .microseconds(1))))
}

/// Runs the closure on a thread with a larger stack, and waits for it.
///
/// - Parameter byteCount: the size of the stack. Only what is used takes memory.
/// - Returns: nil if the system can't make such a thread.
package func withStack<T>(byteCount: Int, _ body: () throws -> T) throws -> T? {
    var result: Result<T, any Error>?
    let isRun = withoutActuallyEscaping({ result = Result { try body() } }) { run in
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        let pageSize = 1 << 16
        guard pthread_attr_setstacksize(&attributes, (byteCount + pageSize) / pageSize * pageSize) == 0 else {
            return false
        }
        let work = Unmanaged.passRetained(ThreadWork(run))
        #if canImport(Darwin)
        var thread: pthread_t?
        let code = pthread_create(&thread, &attributes, { ThreadWork.run($0) }, work.toOpaque())
        guard code == 0, let thread else {
            work.release()
            return false
        }
        #else
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, { $0.flatMap { ThreadWork.run($0) } }, work.toOpaque())
        guard code == 0 else {
            work.release()
            return false
        }
        #endif
        pthread_join(thread, nil)
        return true
    }
    return isRun ? try result.map { result in try result.get() } : nil
}

private final class ThreadWork {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    static func run(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<ThreadWork>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
    }
}
