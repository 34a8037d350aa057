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
    /// A closure that a lock contains directly gets another layer with each access.
    private struct Action {
        var cancel: (@Sendable () -> Void)?
    }

    private let action: Mutex<Action>

    /// Creates a cancellable that calls the closure once, when it is cancelled or deallocated.
    public init(cancel: @escaping @Sendable () -> Void) { action = Mutex(Action(cancel: cancel)) }

    /// Wraps a cancellable.
    public convenience init(_ base: some DatabaseCancellable) { self.init { base.cancel() } }

    deinit { cancel() }

    /// Stops the observation. Calling it again does nothing.
    public func cancel() {
        action.withLock { $0.cancel.take() }?()
    }
}
