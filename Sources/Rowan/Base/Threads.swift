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
