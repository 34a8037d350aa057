// Observed values as an asynchronous sequence. Each iteration is a separate observation.

/// An asynchronous sequence of observed values.
///
/// ```swift
/// for try await players in observation.values(in: dbPool) {
///     print("players: \(players)")
/// }
/// ```
///
/// The observation starts with the iteration. It stops when the loop exits or its task is cancelled.
/// `endObservations()` ends the loop.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    /// The handling of values that the loop has not taken yet.
    public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
    /// The type of the iterator.
    public typealias AsyncIterator = Iterator

    typealias Start =
        @Sendable (
            _ onError: @escaping @Sendable (any Error) -> Void, _ onChange: @escaping @Sendable (Element) -> Void
        ) -> AnyDatabaseCancellable

    private let bufferingPolicy: BufferingPolicy
    private let start: Start

    init(_ bufferingPolicy: BufferingPolicy, start: @escaping Start) {
        self.bufferingPolicy = bufferingPolicy
        self.start = start
    }

    /// Starts the observation.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self, bufferingPolicy: bufferingPolicy)
        let cancellable = start(
            { error in
                // The program has ended all observations.
                if error is CancellationError { continuation.finish() } else { continuation.finish(throwing: error) }
            }, { continuation.yield($0) })
        continuation.onTermination = { [weak cancellable] _ in cancellable?.cancel() }
        return Iterator(iterator: stream.makeAsyncIterator(), cancellable: cancellable)
    }

    /// An iteration over observed values.
    public struct Iterator: AsyncIteratorProtocol {
        private var iterator: AsyncThrowingStream<Element, any Error>.AsyncIterator
        /// The observation stops with the iterator.
        private let cancellable: AnyDatabaseCancellable

        fileprivate init(
            iterator: AsyncThrowingStream<Element, any Error>.AsyncIterator, cancellable: AnyDatabaseCancellable
        ) {
            self.iterator = iterator
            self.cancellable = cancellable
        }

        /// The next value, or nil if the task is cancelled.
        ///
        /// - Throws: the error that ended the observation.
        public mutating func next() async throws -> Element? { try await iterator.next() }
    }
}

extension ValueObservation where Reducer: ValueReducer {
    /// The observed values as an asynchronous sequence.
    ///
    /// ```swift
    /// for try await count in ValueObservation.tracking(Player.fetchCount).values(in: dbPool) {
    ///     print("\(count) players")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue, a pool or a snapshot.
    ///   - scheduler: where values enter the sequence; by default, in tasks.
    ///   - bufferingPolicy: the handling of values that the loop has not taken yet. By default, up to eight of them are
    ///     queued, and a newer one replaces the oldest: the memory of a slow loop stays constant, and it always gets
    ///     the last value. `.unbounded` keeps all values, `.bufferingNewest(1)` only the last one. After `deltas()`,
    ///     all values are queued by default because each one continues the previous one.
    public func values(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy? = nil
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy ?? Reducer.bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}
