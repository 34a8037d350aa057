// Where an observation calls the closures of the program.

public import Dispatch

/// Decides where and when an observation notifies its values and its error.
///
/// An observation notifies one value at a time: the next one is scheduled when the previous closure has returned.
public protocol ValueObservationScheduler: Sendable {
    /// Whether the observation fetches and notifies its first value before `start` returns.
    func immediateInitialValue() -> Bool

    /// Runs a notification.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler of the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Runs a notification on the main actor.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    /// Runs a notification on the main actor.
    public func schedule(_ action: @escaping @Sendable () -> Void) { scheduleOnMainActor(action) }
}

// MARK: - On a dispatch queue

/// Notifies values on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    private let queue: DispatchQueue

    /// Creates a scheduler for a queue.
    public init(queue: DispatchQueue) { self.queue = queue }

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Runs the notification on the queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Notifies values on a dispatch queue.
    ///
    /// ```swift
    /// let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue), onError: …, onChange: …)
    /// ```
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

// MARK: - In tasks

/// Notifies values in tasks of the cooperative thread pool.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    private let priority: TaskPriority?

    fileprivate init(_ priority: TaskPriority? = nil) { self.priority = priority }

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Runs the notification in a task.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        Task(priority: priority) { action() }
    }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// Notifies values in tasks of the cooperative thread pool.
    public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler() }

    /// Notifies values in tasks with a priority.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority)
    }
}

// MARK: - On the main actor

/// Notifies values on the main actor, and the first one before `start` returns.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
    /// Creates the scheduler.
    public init() {}

    /// Returns true.
    ///
    /// - Precondition: the current thread is the main thread.
    public func immediateInitialValue() -> Bool {
        dispatchPrecondition(condition: .onQueue(.main))
        return true
    }

    /// Runs the notification on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(action) }
    }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// Notifies values on the main actor, and the first one before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
    /// Notifies values on the main actor, and the first one before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

/// Notifies values on the main actor.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    fileprivate init() {}

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Runs the notification on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(action) }
    }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// Notifies values on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler {
        DelayedMainActorValueObservationScheduler()
    }
}
