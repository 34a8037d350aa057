// Wakes a worker.

import Synchronization

/// A signal that one task waits for. Signals before the wait are not lost, and several are one.
final class JobSignal: Sendable {
    private struct State {
        var isSet = false
        /// Whether the next commit is that of the worker itself.
        var expectsOwnCommit = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// A commit concerns jobs.
    func didCommit() {
        let isOwn = state.withLock { state in
            defer { state.expectsOwnCommit = false }
            return state.expectsOwnCommit
        }
        if !isOwn { set() }
    }

    /// The next commit is that of the worker, in whose transaction this is called. It knows what it has written.
    func expectOwnCommit() { state.withLock { $0.expectsOwnCommit = true } }

    /// The transaction was not committed.
    func forgetOwnCommit() { state.withLock { $0.expectsOwnCommit = false } }

    func set() {
        state.withLock { state in
            state.isSet = state.waiter == nil
            return state.waiter.take()
        }?.resume()
    }

    /// Returns after a signal, or once the task is cancelled.
    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSet = state.withLock { state in
                    if state.isSet || Task.isCancelled {
                        state.isSet = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isSet { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume()
        }
    }

    /// Waits for a signal.
    ///
    /// - Parameter duration: the longest time; nil for no limit.
    /// - Returns: whether there was a signal.
    func wait(for duration: Duration?, _ clock: any JobClock) async -> Bool {
        if take() { return true }
        guard let duration else {
            await wait()
            return true
        }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.wait()
                return true
            }
            group.addTask {
                // A cancellation ends the wait like a signal.
                do { try await clock.sleep(for: duration) } catch { return true }
                return false
            }
            let isSignal = await group.next()!
            group.cancelAll()
            // A signal may have come at the same time.
            return isSignal || take()
        }
    }

    /// Whether there was a signal, which is then used up.
    func take() -> Bool {
        state.withLock { state in
            defer { state.isSet = false }
            return state.isSet
        }
    }
}
