// Threads of a pool that wait for each other. An access that holds the writer may wait for readers. If an access holds
// a reader and waits for the writer, while the writer waits for that reader, directly or indirectly, none of them can
// continue: this is a deadlock, and the access that holds the reader fails.

import Dispatch

extension AccessLane.State {
    /// The condition under which a blocked thread continues.
    fileprivate enum Wait {
        /// One of these threads continues.
        case any([UInt])
        /// All of these threads continue.
        case all([UInt])
    }

    /// The threads that use connections; 0 for an access that is not on a thread yet.
    fileprivate var holdingThreads: [UInt] {
        if let exclusive, exclusive.holdsAll { return [exclusive.thread] }
        let holders = all.filter { connection in !idle.contains { $0 === connection } }.map(\.holdingThread)
        let future = max(0, count - all.count - openingThreads.count)
        return holders + openingThreads + Array(repeating: 0, count: future)
    }

    /// The threads that this lane blocks.
    fileprivate var waits: [UInt: Wait] {
        let holders = holdingThreads
        var waits: [UInt: Wait] = [:]
        for waiter in waiters.elements where waiter.thread != 0 {
            waits[waiter.thread] = if let exclusive { .all([exclusive.thread]) } else { .any(holders) }
        }
        var earlier: [UInt] = []
        if let exclusive {
            earlier = [exclusive.thread]
            if !exclusive.holdsAll { waits[exclusive.thread] = .all(holders) }
        }
        for thread in threadsBeforeTurn {
            if !earlier.isEmpty { waits[thread] = .all(earlier) }
            earlier.append(thread)
        }
        return waits
    }

    /// Removes the last waiter on one of the threads.
    fileprivate mutating func removeLastWaiter(on threads: some Collection<UInt>) -> AccessLane.Waiter? {
        guard let last = waiters.elements.last(where: { threads.contains($0.thread) }) else { return nil }
        _ = waiters.remove { $0 === last }
        noteWait(of: last)
        return last
    }
}

extension AccessLane {
    /// Fails waiting accesses until no deadlock remains. A thread that is about to block calls this after registering
    /// its wait, so the last thread of a deadlock sees the waits of all others.
    ///
    /// - Complexity: O(the number of waiting accesses), if there is no deadlock.
    func refuseDeadlocks() {
        guard let (writer, readers) = pair else { return }
        // The locks are always taken in this order.
        let refused = writer.state.withLock { writer in
            readers.state.withLock { readers in Self.removeDeadlocked(&writer, &readers) }
        }
        for waiter in refused { waiter.wake(.failure(DatabaseError.deadlock)) }
    }

    private static func removeDeadlocked(_ writer: inout State, _ readers: inout State) -> [Waiter] {
        let reading = Set(readers.holdingThreads.filter { $0 != 0 })
        guard !reading.isEmpty else { return [] }
        var refused: [Waiter] = []
        while true {
            let blockedReads = writer.waiters.elements.lazy.map(\.thread).filter(reading.contains)
            // A spawned read may wait for the reader of its own thread.
            let ownReads = readers.waiters.elements.lazy.map(\.thread).filter(reading.contains)
            guard !blockedReads.isEmpty || !ownReads.isEmpty else { return refused }
            let stuck = stuckThreads(writer.waits.merging(readers.waits) { first, _ in first })
            let culprits = stuck.intersection(reading)
            guard
                let waiter = writer.removeLastWaiter(on: culprits) ?? readers.removeLastWaiter(on: culprits)
            else { return refused }
            refused.append(waiter)
        }
    }

    /// The threads that can never continue.
    private static func stuckThreads(_ waits: [UInt: State.Wait]) -> Set<UInt> {
        var stuck = Set(waits.keys)
        func goesOn(_ wait: State.Wait) -> Bool {
            switch wait {
            case .any(let threads): threads.isEmpty || !threads.allSatisfy(stuck.contains)
            case .all(let threads): !threads.contains(where: stuck.contains)
            }
        }
        while let free = stuck.first(where: { goesOn(waits[$0]!) }) { stuck.remove(free) }
        return stuck
    }
}

extension DatabaseError {
    static var deadlock: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "this access would wait forever for the writer, which waits for a read that this thread has "
                + "begun: write after the read")
    }
}
