// Values that the layers above store on a connection, such as the plans of records. Each layer declares a class and the
// place of its values: an access costs one array index, and the only checked cast, in this file, never fails. Places
// have fixed numbers known to the compiler: a counter would be a global variable and cost a runtime call at each access
// (benchmark insert-struct).

/// A value stored on a connection by a layer above. Its class is final.
///
/// ```swift
/// final class RecordPlans: ConnectionStateValue {
///     static var place: ConnectionState.Place { .init(2, .statements) }
///     var states: [ObjectIdentifier: RecordState] = [:]
/// }
///
/// extension Database {
///     var recordPlans: RecordPlans { state.value(orMake: RecordPlans()) }
/// }
/// ```
@usableFromInline
package protocol ConnectionStateValue: AnyObject {
    /// The place of this class's values only.
    static var place: ConnectionState.Place { get }
}

/// The values stored on a connection by the layers above: at most one of each class.
@usableFromInline
package struct ConnectionState {
    /// The place of a class's values.
    @usableFromInline
    package struct Place: Sendable {
        @usableFromInline let index: Int
        @usableFromInline let lifetime: Lifetime

        /// Creates a place.
        ///
        /// - Parameter index: a small number that no other class uses.
        @inlinable
        package init(_ index: Int, _ lifetime: Lifetime) {
            self.index = index
            self.lifetime = lifetime
        }
    }

    /// The lifetime of a value.
    @usableFromInline
    package enum Lifetime: Sendable {
        /// Until the connection releases its statements, when memory is released and before closing. The value is then
        /// created again on demand.
        case statements
        /// Until the connection is closed.
        case connection
    }

    @usableFromInline package private(set) var values: [AnyObject?] = []
    /// The places of the values that live until the statements are released.
    private var temporary: Set<Int> = []

    package init() {}

    /// The value of a class, or nil.
    package subscript<Value: ConnectionStateValue>(_: Value.Type) -> Value? {
        get {
            let index = Value.place.index
            guard index < values.count, let value = values[index] else { return nil }
            Self.check(value, Value.self)
            // The class has already been compared: `as?` would search the superclasses (benchmark insert-struct).
            return unsafeDowncast(value, to: Value.self)
        }
        set {
            let place = Value.place
            while values.count <= place.index { values.append(nil) }
            if let value = values[place.index] { Self.check(value, Value.self) }
            values[place.index] = newValue
            if place.lifetime == .statements { temporary.insert(place.index) }
        }
    }

    @inline(__always)
    private static func check<Value: ConnectionStateValue>(_ value: AnyObject, _: Value.Type) {
        assert(
            ObjectIdentifier(type(of: value)) == ObjectIdentifier(Value.self),
            "two classes use place \(Value.place.index): give one of them another number")
    }

    /// The value of a class, created if necessary.
    package mutating func value<Value: ConnectionStateValue>(orMake make: @autoclosure () -> Value) -> Value {
        if let value = self[Value.self] { return value }
        let value = make()
        self[Value.self] = value
        return value
    }

    /// Whether a place is empty. In the user's code, this costs an index and a comparison (benchmark insert-struct).
    @inlinable
    package func isEmpty(_ place: Place) -> Bool { place.index >= values.count || values[place.index] == nil }

    /// Exchanges the values tied to the statements, except that of a place.
    package mutating func exchangeStatements(with other: inout ConnectionState, except kept: Place) {
        for index in temporary.union(other.temporary) where index != kept.index {
            while values.count <= index { values.append(nil) }
            while other.values.count <= index { other.values.append(nil) }
            swap(&values[index], &other.values[index])
        }
    }

    /// Removes the values with this lifetime. ``Database/releaseMemory()`` and the check before closing remove the
    /// values tied to the statements; closing removes the others.
    package mutating func removeAll(_ lifetime: Lifetime) {
        for index in values.indices where temporary.contains(index) == (lifetime == .statements) { values[index] = nil }
    }
}
