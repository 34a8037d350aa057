// The start of an observation: a first fetch, then the changes. Nothing committed between the two is lost: on a single
// connection, both happen in one access; in a pool, the connection of the first fetch determines whether anything was
// committed since.

import Dispatch

extension ValueObservation where Reducer: ValueReducer {
    /// Starts the observation and delivers values with a scheduler.
    ///
    /// ```swift
    /// let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue)) { error in
    ///     print("observation failed: \(error)")
    /// } onChange: { players in
    ///     print("players: \(players)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue, a pool or a snapshot. A snapshot delivers its only value.
    ///   - scheduler: where the closures run.
    ///   - onError: receives the error that ends the observation.
    ///   - onChange: receives the first value, then new values.
    /// - Returns: the running observation, which stops when this object is deallocated.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        events.willStart()
        let receiver = ObservationReceiver(
            makeReducer(), events, pace, scheduler, in: reader, onError: onError, onChange: onChange)
        let start = ObservationStart(
            source: source, receiver: receiver, requiresWriteAccess: requiresWriteAccess,
            connections: ObservationConnections(reader, requiresWriteAccess: requiresWriteAccess))
        if scheduler.immediateInitialValue() { start.immediately() } else { start.later() }
        return AnyDatabaseCancellable { receiver.cancel() }
    }

    /// Starts the observation and delivers values on the main actor.
    ///
    /// - Parameters:
    ///   - reader: a queue, a pool or a snapshot. A snapshot delivers its only value.
    ///   - scheduler: `.mainActor`, or `.immediate` to deliver the first value before the method returns.
    ///   - onError: receives the error that ends the observation.
    ///   - onChange: receives the first value, then new values.
    /// - Returns: the running observation, which stops when this object is deallocated.
    @preconcurrency @MainActor
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let scheduler: any ValueObservationScheduler = scheduler
        return start(
            in: reader, scheduling: AnyScheduler(base: scheduler),
            onError: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { value in MainActor.assumeIsolated { onChange(value) } })
    }
}

/// A scheduler that the compiler doesn't treat as a scheduler of the main actor.
private struct AnyScheduler: ValueObservationScheduler {
    let base: any ValueObservationScheduler
    func immediateInitialValue() -> Bool { base.immediateInitialValue() }
    func schedule(_ action: @escaping @Sendable () -> Void) { base.schedule(action) }
}

private struct ObservationStart<Reducer: ValueReducer>: Sendable {
    let source: FetchSource<Reducer.Fetched>
    let receiver: ObservationReceiver<Reducer>
    let requiresWriteAccess: Bool
    let connections: ObservationConnections

    /// Delivers the first value now, on the current thread.
    func immediately() {
        receiver.willNotifyImmediately()
        do {
            let first = try connections.fetch.run { try fetch($0) }
            try receiver.notifyImmediately(first.value)
            observeChanges(since: first)
        } catch {
            receiver.failImmediately(error)
        }
    }

    /// Fetches the first value without blocking the current thread.
    ///
    /// - Parameter failureCount: the number of temporary failures so far.
    func later(after failureCount: Int = 0) {
        connections.fetch.callback(isPatient: true) { result in
            guard !receiver.isEnded else { return }
            do {
                let first = try fetch(result.get())
                receiver.receive(first.value)
                // Once it is free, the connection of this access determines whether anything has changed.
                connections.fetch.lane.afterCurrentAccess { observeChanges(since: first) }
            } catch  where error.isPassing && !receiver.isEnded {
                retryLater(failureCount + 1) { later(after: failureCount + 1) }
            } catch {
                receiver.fail(error)
            }
        }
    }

    private struct First {
        let value: Reducer.Fetched
        let region: DatabaseRegion
        /// Determines whether the database has changed since the fetch. Nil if changes are already observed or
        /// impossible.
        let proof: UnchangedProof?
        /// The fetch that another process outdated before its commits were watched.
        var outdated: SharedFetch<Reducer.Fetched>?
    }

    private func fetch(_ db: Database) throws -> First {
        receiver.events.willFetch()
        var proof = try UnchangedProof(connections, db)
        let isWatched = connections.observesChanges && db.configuration.observesOtherProcesses
        let version = isWatched && !connections.isConcurrent ? try db.connection.foreignDataVersions() : nil
        let (value, region) = try source.firstFetch(
            db, requiresWriteAccess: requiresWriteAccess, unless: { [unowned receiver] in receiver.isEnded })
        receiver.events.willTrack(region)
        guard connections.observesChanges else { return First(value: value, region: region, proof: nil) }
        if connections.isConcurrent {
            proof.readDidEnd(db)
            return First(value: value, region: region, proof: proof)
        }
        // Before this access ends, only other processes can commit.
        let joined = try join(db, region)
        var first = First(value: value, region: region, proof: nil)
        if let version, try db.connection.foreignDataVersions() != version { first.outdated = joined }
        return first
    }

    private func observeChanges(since first: First) {
        if let proof = first.proof { observeChanges(since: first, proof) }
        guard let outdated = first.outdated else { return }
        connections.write.callback { result in
            // Without a connection, nothing is observed any more.
            guard let db = try? result.get() else { return }
            outdated.didCommit(.fullDatabase, db)
        }
    }

    /// Observes changes from the next access of the writer on.
    private func observeChanges(since first: First, _ proof: UnchangedProof, after failureCount: Int = 0) {
        connections.write.callback { result in
            guard !receiver.isEnded else { return }
            do {
                let db = try result.openDatabase()
                guard let fetch = try join(db, first.region) else { return }
                if !proof.isUnchanged(db) { fetch.didCommit(.fullDatabase, db) }
            } catch  where error.isPassing {
                retryLater(failureCount + 1) { observeChanges(since: first, proof, after: failureCount + 1) }
            } catch {
                receiver.fail(error)
            }
        }
    }

    /// Joins the fetch of the source, or creates it.
    ///
    /// - Returns: nil if the observation has ended.
    private func join(_ db: Database, _ region: DatabaseRegion) throws -> SharedFetch<Reducer.Fetched>? {
        let hub = db.observationHub
        if let known = hub.fetch(of: source, requiresWriteAccess), known.add(receiver, region: region) {
            return connect(known)
        }
        let fetch = SharedFetch(
            source, connections, requiresWriteAccess: requiresWriteAccess, region: region, version: hub.version)
        _ = fetch.add(receiver, region: region)
        try hub.add(fetch, db)
        return connect(fetch)
    }

    private func connect(_ fetch: SharedFetch<Reducer.Fetched>) -> SharedFetch<Reducer.Fetched>? {
        if receiver.setFetch(fetch) { return fetch }
        fetch.remove(receiver)
        return nil
    }
}
