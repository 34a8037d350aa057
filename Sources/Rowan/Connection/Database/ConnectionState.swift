// Values that the layers above store on a connection, such as the plans of records. Each layer declares a class, and the
// place of its values: an access costs one array index, and the single checked cast, which is here, never fails.

import Synchronization

/// A value that a layer above stores on a connection. Its class is final.
///
/// ```swift
/// final class RecordPlans: ConnectionStateValue {
///     static let place = ConnectionState.Place(.statements)
///     var plans: [ObjectIdentifier: Plan] = [:]
/// }
///
/// extension Database {
///     var recordPlans: RecordPlans { state.value(orMake: RecordPlans()) }
/// }
/// ```
@usableFromInline
package protocol ConnectionStateValue: AnyObject {
    /// The place of the values of this class only.
    static var place: ConnectionState.Place { get }
}

/// The values that the layers above store on a connection: at most one of each class.
@usableFromInline
package struct ConnectionState {
    /// The place of the values of one class.
    @usableFromInline
    package struct Place: Sendable {
        @usableFromInline let index: Int
        fileprivate let lifetime: Lifetime

        /// Creates a place. Each class has one, in a stored type property.
        package init(_ lifetime: Lifetime) {
            index = placeCount.add(1, ordering: .relaxed).oldValue
            self.lifetime = lifetime
        }
    }

    /// The lifetime of a value.
    package enum Lifetime: Sendable {
        /// Until the connection releases its statements: when memory is released, and before closing. The value is then
        /// created again on demand.
        case statements
        /// Until the connection is closed.
        case connection
    }

    @usableFromInline package private(set) var values: [AnyObject?] = []
    /// The places of the values that live as long as the statements.
    private var temporary: Set<Int> = []

    package init() {}

    /// The value of a class, or nil.
    package subscript<Value: ConnectionStateValue>(_: Value.Type) -> Value? {
        get {
            let index = Value.place.index
            guard index < values.count, let value = values[index] else { return nil }
            precondition(
                ObjectIdentifier(type(of: value)) == ObjectIdentifier(Value.self), "two classes use the same place")
            // The class has been compared: `as?` would search the superclasses (benchmark insert-struct).
            return unsafeDowncast(value, to: Value.self)
        }
        set {
            let place = Value.place
            while values.count <= place.index { values.append(nil) }
            values[place.index] = newValue
            if place.lifetime == .statements { temporary.insert(place.index) }
        }
    }

    /// The value of a class, created if necessary.
    package mutating func value<Value: ConnectionStateValue>(orMake make: @autoclosure () -> Value) -> Value {
        if let value = self[Value.self] { return value }
        let value = make()
        self[Value.self] = value
        return value
    }

    /// Whether a place is empty. For the user's code, this costs an index and a comparison (benchmark insert-struct).
    @inlinable
    package func isEmpty(_ place: Place) -> Bool { place.index >= values.count || values[place.index] == nil }

    /// Removes the values with this lifetime. ``Database/releaseMemory()``, and the check before closing, remove the
    /// values that live as long as the statements; closing removes the others.
    package mutating func removeAll(_ lifetime: Lifetime) {
        for index in values.indices where temporary.contains(index) == (lifetime == .statements) { values[index] = nil }
    }
}

/// The number of places in this process.
private let placeCount = Atomic<Int>(0)
