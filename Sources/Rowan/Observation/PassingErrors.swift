// Temporary errors: the fetch of an observation is retried later instead of ending the observation.

import Dispatch

extension Error {
    /// Whether the same fetch may succeed later: another connection held a lock, the fetch was interrupted, the
    /// database was suspended, or memory ran out. Any other error is caused by the program or the schema.
    var isPassing: Bool {
        guard let error = self as? DatabaseError else { return false }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_INTERRUPT, .SQLITE_NOMEM, .SQLITE_PROTOCOL: return true
        case .SQLITE_ABORT: return error.isSuspension
        default: return false
        }
    }
}

/// Runs the closure after a pause. The pause increases with the number of failures, from a hundredth of a second to one
/// second.
func retryLater(_ failureCount: Int, _ body: @escaping @Sendable () -> Void) {
    let milliseconds = min(1000, 10 << min(failureCount - 1, 7))
    onOtherThread(at: .now() + .milliseconds(milliseconds), qos: .utility, body)
}
