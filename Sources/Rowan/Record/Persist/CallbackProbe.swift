// Detects which callbacks a type implements, which Swift can't report. While one record is inserted or updated, each
// default implementation reports itself, with its type, to a probe. Callbacks without a report are implemented by the
// user.

import Synchronization

/// The callbacks of an insertion or an update.
@usableFromInline
struct RecordCallbacks: OptionSet, Sendable {
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

    static var all: Self { insertion.union(update) }
    /// The callbacks of all writes but deletions.
    static var saving: Self { [.willSave, .aroundSave, .didSave] }
    /// The callbacks of an insertion.
    static var insertion: Self { saving.union([.willInsert, .aroundInsert, .didInsert]) }
    /// The callbacks of an update.
    static var update: Self { saving.union([.willUpdate, .aroundUpdate, .didUpdate]) }
    /// The callbacks that receive the columns of an update.
    static var receivingColumns: Self { [.willUpdate, .aroundUpdate] }
    /// The callbacks that receive the rowid of an insertion.
    static var receivingRowID: Self { [.aroundInsert, .aroundSave, .didInsert, .didSave] }
    /// The callbacks after the insertion, which have no access to the database.
    static var did: Self { [.didInsert, .didSave] }
    /// The callbacks that may read or write the database, so that each record must be inserted separately.
    static var beforeOrAround: Self { [.willSave, .aroundSave, .willInsert, .aroundInsert] }
}

/// What is known about the callbacks of a record type.
@usableFromInline
final class KnownCallbacks {
    /// The callbacks that a probe has asked for.
    @exclusivity(unchecked) @usableFromInline private(set) var known: RecordCallbacks = []
    /// The callbacks that the type implements, or may implement.
    @exclusivity(unchecked) @usableFromInline private(set) var implemented = RecordCallbacks.all
    private let probe: CallbackProbe

    init(_ type: ObjectIdentifier) { probe = CallbackProbe(type) }

    /// Runs the closure, which writes a record and calls these callbacks, and finds out which of them the type
    /// implements.
    @usableFromInline
    func probe<T>(_ db: Database, _ callbacks: RecordCallbacks, _ write: () throws -> T) rethrows -> T {
        let outerProbe = db.probe
        defer { db.state[CallbackProbe.self] = outerProbe }
        db.state[CallbackProbe.self] = probe
        let result = try write()
        implemented.subtract(probe.defaults)
        known.formUnion(callbacks.subtracting(probe.takeSkipped()))
        return result
    }
}

/// Receives the reports of default implementations.
@usableFromInline
final class CallbackProbe: ConnectionStateValue, Sendable {
    @inlinable static var place: ConnectionState.Place { .init(3, .connection) }

    private let type: ObjectIdentifier
    private let reported = Atomic<UInt16>(0)
    private let isSkipped = Atomic<Bool>(false)

    init(_ type: ObjectIdentifier) { self.type = type }

    /// Records that a default implementation was called. The type is needed because a record that forwards its
    /// callbacks to another record implements them, whatever the other record does.
    @usableFromInline
    func note(_ callback: RecordCallbacks, _ type: any Any.Type) {
        guard ObjectIdentifier(type) == self.type else { return }
        reported.bitwiseOr(callback.rawValue, ordering: .relaxed)
    }

    /// Records that `didInsert` was not called, because no row was inserted.
    @usableFromInline
    func skip(_ type: any Any.Type) {
        if ObjectIdentifier(type) == self.type { isSkipped.store(true, ordering: .relaxed) }
    }

    /// The callbacks that the type does not implement.
    var defaults: RecordCallbacks { RecordCallbacks(rawValue: reported.load(ordering: .relaxed)) }

    /// The callbacks that were not called since the last time.
    func takeSkipped() -> RecordCallbacks { isSkipped.exchange(false, ordering: .relaxed) ? .didInsert : [] }
}

extension Database {
    /// Reports the default implementation of a callback.
    @inlinable
    func hasDefault(_ callback: RecordCallbacks, _ type: any Any.Type) {
        if !state.isEmpty(CallbackProbe.place) { probe?.note(callback, type) }
    }

    /// The current probe.
    @usableFromInline
    var probe: CallbackProbe? { state[CallbackProbe.self] }

    /// The information about an insertion that callbacks receive.
    @inline(__always)
    func insertedKey(_ plan: WritePlan) throws -> InsertedKey {
        guard plan.epoch != connection.schemaEpoch || !state.isEmpty(CallbackProbe.place) else {
            return plan.insertedKey
        }
        return try currentKey(plan)
    }

    /// The information about an insertion when the plan is older than the schema or a probe waits for reports.
    private func currentKey(_ plan: WritePlan) throws -> InsertedKey {
        let isCurrent = plan.epoch == connection.schemaEpoch
        return InsertedKey(isCurrent ? plan.primaryKey : try insertedKey(plan.table), probe: probe)
    }
}
