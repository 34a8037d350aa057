// Suspension: a program that is about to be frozen gives up its locks. An application that keeps a lock on a shared
// file while it is frozen is killed by some systems.

public import Foundation
import Synchronization

extension Database {
    /// Post it to suspend the connections that observe it: the running statements are interrupted, and what would
    /// write throws SQLITE_ABORT, until ``resumeNotification``. See ``Configuration/observesSuspensionNotifications``.
    public static let suspendNotification = Notification.Name("Rowan.Database.suspend")

    /// Post it to resume the connections that were suspended.
    public static let resumeNotification = Notification.Name("Rowan.Database.resume")
}

/// What observes the notifications for one connection, as long as it lives.
final class SuspensionObserver: Sendable {
    // NotificationCenter hands back opaque tokens that are not Sendable; they are set once, and removed in deinit.
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
