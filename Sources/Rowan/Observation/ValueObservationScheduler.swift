// Where an observation calls the closures of the program.

public import Dispatch

/// Determines where and when an observation delivers its values and its error.
///
/// An observation delivers one value at a time: the next one is scheduled when the previous closure has returned.
public protocol ValueObservationScheduler: Sendable {
    /// Whether the observation fetches and delivers its first value before `start` returns.
    func immediateInitialValue() -> Bool

    /// Runs a delivery.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler of the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Runs a delivery on the main actor.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    /// Runs a delivery on the main actor.
    public func schedule(_ action: @escaping @Sendable () -> Void) { scheduleOnMainActor(action) }
}

// MARK: - On a dispatch queue

/// Delivers values on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    private let queue: DispatchQueue

    /// Creates a scheduler for a queue.
    public init(queue: DispatchQueue) { self.queue = queue }

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Runs the delivery on the queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Delivers values on a dispatch queue.
    ///
    /// ```swift
    /// let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue), onError: …, onChange: …)
    /// ```
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

// MARK: - In tasks

/// Delivers values in tasks of the cooperative thread pool.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    private let priority: TaskPriority?

    fileprivate init(_ priority: TaskPriority? = nil) { self.priority = priority }

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Runs the delivery in a task.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        Task(priority: priority) { action() }
    }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// Delivers values in tasks of the cooperative thread pool.
    public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler() }

    /// Delivers values in tasks with a priority.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority)
    }
}

// MARK: - On the main actor

/// Delivers values on the main actor, the first one before `start` returns.
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

    /// Runs the delivery on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(action) }
    }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// Delivers values on the main actor, the first one before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
    /// Delivers values on the main actor, the first one before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

/// Delivers values on the main actor.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    fileprivate init() {}

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Runs the delivery on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(action) }
    }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// Delivers values on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler {
        DelayedMainActorValueObservationScheduler()
    }
}
