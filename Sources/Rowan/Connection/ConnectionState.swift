// What the floors above keep on a connection: the plans of records, and later what observes it, and its migrations.
// Each floor declares the class of its value; the connection knows how many there are, and how long each one stays.
// A class has one place, and a place holds one class, so that an access costs an index into an array, and the one
// cast, which is here and checked, never fails.

/// A value that a floor above keeps on a connection. Its class is final.
///
/// A floor adds a case to ``ConnectionState/Place``, which says how long the value stays, and declares its class:
///
/// ```swift
/// final class TransactionObservers: ConnectionStateValue {
///     static var place: ConnectionState.Place { .observers }
///     var observers: [any TransactionObserver] = []
/// }
///
/// extension Database {
///     var observers: TransactionObservers { state.value(orMake: TransactionObservers()) }
/// }
/// ```
@usableFromInline
package protocol ConnectionStateValue: AnyObject {
    /// The place of the values of this class, and of no other.
    static var place: ConnectionState.Place { get }
}

/// What the floors above keep on a connection, at most one value of each class.
@usableFromInline
package struct ConnectionState {
    /// The places, one for each class of values.
    @usableFromInline
    package enum Place: Int, CaseIterable, Sendable {
        /// The statements of the persistence methods, and of the fetches by key.
        case recordPlans
        /// What listens for the default implementations of callbacks.
        case callbackProbe

        var lifetime: Lifetime {
            switch self {
            case .recordPlans: .statements
            case .callbackProbe: .connection
            }
        }
    }

    /// How long a value stays.
    package enum Lifetime: Sendable {
        /// Until the connection lets go of its statements: when memory is released, and before closing. Then it is made
        /// again when it is needed.
        case statements
        /// Until the connection is closed.
        case connection
    }

    @usableFromInline package private(set) var values: [AnyObject?] = Array(repeating: nil, count: Place.allCases.count)

    package init() {}

    /// The value of a class, nil for none.
    package subscript<Value: ConnectionStateValue>(_: Value.Type) -> Value? {
        get {
            guard let value = values[Value.place.rawValue] else { return nil }
            precondition(
                ObjectIdentifier(type(of: value)) == ObjectIdentifier(Value.self), "two classes have one place")
            // The class was compared: `as?` would look for it among the superclasses (benchmark insert-struct).
            return unsafeDowncast(value, to: Value.self)
        }
        set { values[Value.place.rawValue] = newValue }
    }

    /// The value of a class, made if there is none.
    package mutating func value<Value: ConnectionStateValue>(orMake make: @autoclosure () -> Value) -> Value {
        if let value = self[Value.self] { return value }
        let value = make()
        self[Value.self] = value
        return value
    }

    /// Whether a place has no value. It costs the code of users an index and a comparison (benchmark insert-struct).
    @inlinable
    package func isEmpty(_ place: Place) -> Bool { values[place.rawValue] == nil }

    /// Drops the values that stay no longer. ``Database/releaseMemory()`` drops those of the statements, and so does
    /// the check that precedes closing; closing drops those of the connection.
    package mutating func removeAll(_ lifetime: Lifetime) {
        for place in Place.allCases where place.lifetime == lifetime { values[place.rawValue] = nil }
    }
}
