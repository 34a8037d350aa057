// Suspension: a program that is about to be frozen must release its locks. Some systems kill an application that holds
// a lock on a shared file while it is frozen.

#if FullFoundation
public import Foundation

extension Database {
    /// Suspends the connections that observe it: running statements are interrupted, and writes throw SQLITE_ABORT
    /// until ``resumeNotification``. See ``Configuration/observesSuspensionNotifications``.
    public static let suspendNotification = Notification.Name("Rowan.Database.suspend")

    /// Resumes the suspended connections.
    public static let resumeNotification = Notification.Name("Rowan.Database.resume")
}

extension Configuration {
    /// Whether connections stop their accesses between ``Rowan/Database/suspendNotification`` and
    /// ``Rowan/Database/resumeNotification``. False by default.
    public var observesSuspensionNotifications: Bool {
        get { suspensionSource != nil }
        set { suspensionSource = newValue ? SuspensionObserver.init : nil }
    }
}

/// Observes the notifications for one connection during its lifetime.
final class SuspensionObserver: Sendable {
    // NotificationCenter returns opaque tokens that are not Sendable; they are set once and removed in deinit.
    private nonisolated(unsafe) let tokens: [any NSObjectProtocol]

    init(suspend: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void) {
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(forName: Database.suspendNotification, object: nil, queue: nil) { _ in suspend() },
            center.addObserver(forName: Database.resumeNotification, object: nil, queue: nil) { _ in resume() },
        ]
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
}
#endif
