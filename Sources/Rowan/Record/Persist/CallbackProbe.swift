// Detects which callbacks a type implements, which Swift can't report. While one record is inserted or updated, each
// default implementation reports itself, with its type, to a probe. Callbacks without a report are implemented by the
// user.

import Synchronization

/// The callbacks of an insertion or an update.
@usableFromInline
struct InsertionCallbacks: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16
    @usableFromInline init(rawValue: UInt16) { self.rawValue = rawValue }

    @usableFromInline static var willSave: Self { Self(rawValue: 1) }
    @usableFromInline static var aroundSave: Self { Self(rawValue: 2) }
    @usableFromInline static var willInsert: Self { Self(rawValue: 4) }
    @usableFromInline static var aroundInsert: Self { Self(rawValue: 8) }
    @usableFromInline static var didInsert: Self { Self(rawValue: 16) }
    @usableFromInline static var didSave: Self { Self(rawValue: 32) }
    @usableFromInline static var willUpdate: Self { Self(rawValue: 64) }
    @usableFromInline static var aroundUpdate: Self { Self(rawValue: 128) }
    @usableFromInline static var didUpdate: Self { Self(rawValue: 256) }
    /// The callbacks that receive the columns of an update.
    static var update: Self { [.willUpdate, .aroundUpdate] }
    /// The callbacks after the insertion, which have no access to the database.
    static var did: Self { [.didInsert, .didSave] }
    /// The callbacks that may read or write the database, so that each record must be inserted separately.
    static var beforeOrAround: Self { [.willSave, .aroundSave, .willInsert, .aroundInsert] }
}

/// Receives the reports of default implementations.
@usableFromInline
final class CallbackProbe: ConnectionStateValue, Sendable {
    @inlinable static var place: ConnectionState.Place { .init(3, .connection) }

    private let type: ObjectIdentifier
    private let defaults = Atomic<UInt16>(0)

    init(_ type: any Any.Type) { self.type = ObjectIdentifier(type) }

    /// Records that a default implementation was called. The type is needed because a record that forwards its
    /// callbacks to another record implements them, whatever the other record does.
    @usableFromInline
    func note(_ callback: InsertionCallbacks, _ type: any Any.Type) {
        guard ObjectIdentifier(type) == self.type else { return }
        defaults.bitwiseOr(callback.rawValue, ordering: .relaxed)
    }

    /// The callbacks that the user has implemented.
    var callbacks: InsertionCallbacks {
        InsertionCallbacks.beforeOrAround.union(.did).union(.update).union(.didUpdate)
            .subtracting(InsertionCallbacks(rawValue: defaults.load(ordering: .relaxed)))
    }
}

extension Database {
    /// Reports the default implementation of a callback.
    @inlinable
    func hasDefault(_ callback: InsertionCallbacks, _ type: any Any.Type) {
        if !state.isEmpty(CallbackProbe.place) { probe?.note(callback, type) }
    }

    /// The current probe.
    @usableFromInline
    var probe: CallbackProbe? { state[CallbackProbe.self] }

    /// The information about an insertion that callbacks receive.
    @inline(__always)
    func insertedKey(_ plan: PersistencePlan) throws -> InsertedKey {
        guard plan.epoch != connection.schemaEpoch || !state.isEmpty(CallbackProbe.place) else {
            return plan.insertedKey
        }
        return try currentKey(plan)
    }

    /// The information about an insertion when the plan is older than the schema or a probe waits for reports.
    private func currentKey(_ plan: PersistencePlan) throws -> InsertedKey {
        let isCurrent = plan.epoch == connection.schemaEpoch
        return InsertedKey(isCurrent ? plan.primaryKey : try insertedKey(plan.table), probe: probe)
    }

    /// Runs the closure, which inserts or updates one record, and returns the callbacks that the record's type
    /// implements. Callbacks that the closure does not call are included.
    func probingCallbacks(of type: any Any.Type, _ insert: () throws -> Void) rethrows -> InsertionCallbacks {
        let outerProbe = probe
        defer { state[CallbackProbe.self] = outerProbe }
        let probe = CallbackProbe(type)
        state[CallbackProbe.self] = probe
        try insert()
        return probe.callbacks
    }
}
