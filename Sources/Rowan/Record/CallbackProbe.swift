// Which callbacks a type has. Swift does not tell: the default implementations do, each for its own type, to a probe
// that listens while one record is inserted. What has not told anything was written by the user.

import Synchronization

/// The callbacks of an insertion.
@usableFromInline
struct InsertionCallbacks: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8
    @usableFromInline init(rawValue: UInt8) { self.rawValue = rawValue }

    @usableFromInline static var willSave: Self { Self(rawValue: 1) }
    @usableFromInline static var aroundSave: Self { Self(rawValue: 2) }
    @usableFromInline static var willInsert: Self { Self(rawValue: 4) }
    @usableFromInline static var aroundInsert: Self { Self(rawValue: 8) }
    @usableFromInline static var didInsert: Self { Self(rawValue: 16) }
    @usableFromInline static var didSave: Self { Self(rawValue: 32) }
    /// Those that come after the insertion, and can't see the database.
    static var did: Self { [.didInsert, .didSave] }
    /// Those that may look at the database, or write to it: each record must be inserted on its own.
    static var beforeOrAround: Self { [.willSave, .aroundSave, .willInsert, .aroundInsert] }
}

/// What listens for default implementations.
@usableFromInline
final class CallbackProbe: ConnectionStateValue, Sendable {
    @usableFromInline static var place: ConnectionState.Place { .callbackProbe }

    private let type: ObjectIdentifier
    private let defaults = Atomic<UInt8>(0)

    init(_ type: any Any.Type) { self.type = ObjectIdentifier(type) }

    /// A default implementation was called. A record that forwards to another one has callbacks, whatever the other
    /// has: hence the type.
    @usableFromInline
    func note(_ callback: InsertionCallbacks, _ type: any Any.Type) {
        guard ObjectIdentifier(type) == self.type else { return }
        defaults.bitwiseOr(callback.rawValue, ordering: .relaxed)
    }

    /// The callbacks that the user has written.
    var callbacks: InsertionCallbacks {
        InsertionCallbacks.beforeOrAround.union(.did)
            .subtracting(InsertionCallbacks(rawValue: defaults.load(ordering: .relaxed)))
    }
}

extension Database {
    /// Called by the default implementation of a callback.
    @inlinable
    func hasDefault(_ callback: InsertionCallbacks, _ type: any Any.Type) {
        if !state.isEmpty(.callbackProbe) { probe?.note(callback, type) }
    }

    /// What listens now.
    @usableFromInline
    var probe: CallbackProbe? { state[CallbackProbe.self] }

    /// What an insertion tells callbacks.
    @inline(__always)
    func insertedKey(_ plan: PersistencePlan) -> InsertedKey {
        guard !state.isEmpty(.callbackProbe) else { return plan.insertedKey }
        return InsertedKey(rowIDColumn: plan.primaryKey.rowIDColumn, probe: probe)
    }

    /// Runs the closure, which inserts one record, and tells which callbacks the type of the record has.
    func probingCallbacks(of type: any Any.Type, _ insert: () throws -> Void) rethrows -> InsertionCallbacks {
        let outerProbe = probe
        defer { state[CallbackProbe.self] = outerProbe }
        let probe = CallbackProbe(type)
        state[CallbackProbe.self] = probe
        try insert()
        return probe.callbacks
    }
}
