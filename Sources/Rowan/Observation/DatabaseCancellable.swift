// The object returned when an observation starts.

/// A running observation, which can be cancelled.
public protocol DatabaseCancellable: Sendable {
    /// Stops the observation. Calling it again does nothing.
    func cancel()
}

/// A running observation, which is cancelled when this object is deallocated.
///
/// ```swift
/// let cancellable = observation.start(in: dbQueue) { error in … } onChange: { players in … }
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let action: Mutex<(@Sendable () -> Void)?>

    /// Creates a cancellable that calls the closure once, when it is cancelled or deallocated.
    public init(cancel: @escaping @Sendable () -> Void) { action = Mutex(cancel) }

    /// Wraps a cancellable.
    public convenience init(_ base: some DatabaseCancellable) { self.init { base.cancel() } }

    deinit { cancel() }

    /// Stops the observation. Calling it again does nothing.
    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
