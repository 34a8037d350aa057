// Accesses that wait for a connection, and the limits of their waits. They are served in order of arrival.

import Dispatch

extension AccessLane.State {
    /// Called when a wait has ended, for any reason.
    mutating func noteWait(of waiter: AccessLane.Waiter) {
        let now = Uptime.now
        longestWait = max(longestWait, now - min(now, waiter.beginning))
    }
}

extension AccessLane {
    /// Takes the first waiter.
    func nextWaiter(_ state: inout State) -> Waiter? {
        guard let waiter = state.waiters.popFirst() else { return nil }
        state.noteWait(of: waiter)
        return waiter
    }

    /// The number of waiting accesses, and the longest wait since the lane was created, including waits in progress.
    var waits: (count: Int, longest: Duration) {
        state.withLock { state in
            let now = Uptime.now
            let longest = state.waiters.elements.reduce(state.longestWait) { max($0, now - min(now, $1.beginning)) }
            return (state.waiters.count, Uptime.duration(from: 0, to: longest))
        }
    }

    // MARK: Waiting too long

    /// Checks for waiters that have waited too long, when a wait reaches the limit.
    ///
    /// One check at a time is scheduled: each schedules the next one for the remaining waiters.
    func scheduleExpiry(at beginning: UInt64) {
        guard let waitLimit else { return }
        let (deadline, overflow) = beginning.addingReportingOverflow(waitLimit)
        // Longer than the lifetime of any program.
        guard !overflow, deadline < UInt64(Int64.max) else { return }
        onOtherThread(at: DispatchTime(uptimeNanoseconds: deadline), qos: .userInitiated) { [weak self] in
            self?.expireWaiters()
        }
    }

    private func expireWaiters() {
        guard let waitLimit else { return }
        let now = Uptime.now
        let (expired, next) = state.withLock { state -> ([Waiter], UInt64?) in
            let expired = state.waiters.removeAll { !$0.isPatient && now - min(now, $0.beginning) >= waitLimit }
            for waiter in expired { state.noteWait(of: waiter) }
            let next = state.waiters.elements.first { !$0.isPatient }?.beginning
            state.isExpiryScheduled = next != nil
            return (expired, next)
        }
        if let next { scheduleExpiry(at: next) }
        guard !expired.isEmpty else { return }
        let error = noFreeConnection(waitLimit)
        for waiter in expired { waiter.wake(.failure(error)) }
    }

    /// The error of an access that has waited too long. It describes the accesses that hold the connections.
    private func noFreeConnection(_ waitLimit: UInt64) -> DatabaseError {
        let now = Uptime.now
        let accesses = allConnections.compactMap { DatabasePoolStatus.Access(.read, $0.record, now) }
            .sorted { $0.beginning < $1.beginning }
        let start = "no reader was free for \(Uptime.duration(from: 0, to: waitLimit).inSeconds)"
        guard state.withLock({ $0.exclusive == nil }) else {
            return DatabaseError(
                resultCode: .SQLITE_BUSY,
                message: "\(start) because a barrier, or the closing of connections, uses all of them: make it shorter")
        }
        let holders = accesses.isEmpty ? "" : " In use: \(accesses.map(\.description).joined(separator: "; "))."
        return DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "\(start).\(holders) Make these accesses shorter, or raise Configuration.maximumReaderCount, "
                + "which is \(capacity)")
    }
}
