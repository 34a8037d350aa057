// Values that higher layers store on a connection, such as the plans of records. A layer declares the class of its value.
// This file lists the places of all values, and when each value is removed. Each class has one place, and each place has
// one class: reading a value costs one array index, and the single checked cast, which is here, never fails.

/// A value that a higher layer stores on a connection. Its class is final.
///
/// A layer adds a case to ``ConnectionState/Place``, which defines the lifetime of the value, and declares its class:
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
    /// The place of the values of this class only.
    static var place: ConnectionState.Place { get }
}

/// The values that higher layers store on a connection: at most one of each class.
@usableFromInline
package struct ConnectionState {
    /// The places, one for each class of values.
    @usableFromInline
    package enum Place: Int, CaseIterable, Sendable {
        /// The statements of the persistence methods and of fetches by key.
        case recordPlans
        /// The listener that detects default implementations of callbacks.
        case callbackProbe
        /// The receiver of the reports of a migration.
        case migrationReporter
        /// The names of the collections that are served as tables.
        case collections
        /// The observers of transactions.
        case transactionObservers
        /// The observations of regions and values.
        case observations

        var lifetime: Lifetime {
            switch self {
            case .recordPlans: .statements
            case .callbackProbe, .migrationReporter, .collections, .transactionObservers, .observations: .connection
            }
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

    @usableFromInline package private(set) var values: [AnyObject?] = Array(repeating: nil, count: Place.allCases.count)

    package init() {}

    /// The value of a class, or nil.
    package subscript<Value: ConnectionStateValue>(_: Value.Type) -> Value? {
        get {
            guard let value = values[Value.place.rawValue] else { return nil }
            precondition(
                ObjectIdentifier(type(of: value)) == ObjectIdentifier(Value.self), "two classes use the same place")
            // The class has been compared: `as?` would search the superclasses (benchmark insert-struct).
            return unsafeDowncast(value, to: Value.self)
        }
        set { values[Value.place.rawValue] = newValue }
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
    package func isEmpty(_ place: Place) -> Bool { values[place.rawValue] == nil }

    /// Removes the values with this lifetime. ``Database/releaseMemory()``, and the check before closing, remove the
    /// values that live as long as the statements; closing removes the others.
    package mutating func removeAll(_ lifetime: Lifetime) {
        for place in Place.allCases where place.lifetime == lifetime { values[place.rawValue] = nil }
    }
}
