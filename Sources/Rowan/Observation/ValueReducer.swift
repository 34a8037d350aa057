// How an observation turns fetched values into delivered values. Reducers are created for each start.

/// Turns fetched values into delivered values. Not for users: see ``ValueReducer``.
public protocol _ValueReducer: Sendable {
    /// The fetched type.
    associatedtype Fetched: Sendable
    /// The delivered type.
    associatedtype Value: Sendable

    /// Whether the reducer returns fetched values unchanged.
    static var _isIdentity: Bool { get }

    /// Whether each value continues the previous one, so that a sequence must not skip any.
    static var _continuesPrevious: Bool { get }

    /// The value to deliver, or nil for none.
    mutating func _value(_ fetched: Fetched) throws -> Value?
}

extension _ValueReducer {
    /// False.
    public static var _isIdentity: Bool { false }
    /// False.
    public static var _continuesPrevious: Bool { false }

    /// The default handling of values that a loop has not taken yet.
    static var bufferingPolicy: AsyncValueObservation<Value>.BufferingPolicy {
        _continuesPrevious ? .unbounded : .bufferingNewest(8)
    }
}

/// The type that describes how an observation handles fetched values.
///
/// ```swift
/// func log<Reducer: ValueReducer>(_ observation: ValueObservation<Reducer>) -> ValueObservation<some ValueReducer> {
///     observation.print()
/// }
/// ```
public protocol ValueReducer: _ValueReducer {}

/// The reducers of observations.
public enum ValueReducers {
    /// Delivers fetched values.
    public struct Fetch<Value: Sendable>: ValueReducer {
        /// True.
        public static var _isIdentity: Bool { true }

        /// The fetched value.
        public func _value(_ fetched: Value) -> Value? { fetched }
    }

    /// Delivers transformed values.
    public struct Map<Base: _ValueReducer, Value: Sendable>: ValueReducer {
        var base: Base
        let transform: @Sendable (Base.Value) throws -> Value

        /// The same as for the base.
        public static var _continuesPrevious: Bool { Base._continuesPrevious }

        /// The transformed value.
        public mutating func _value(_ fetched: Base.Fetched) throws -> Value? {
            try base._value(fetched).map(transform)
        }
    }

    /// Delivers values that differ from the previous one.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        var base: Base
        let areEqual: @Sendable (Base.Value, Base.Value) -> Bool
        private var previous: Base.Value?

        /// The same as for the base.
        public static var _continuesPrevious: Bool { Base._continuesPrevious }

        init(base: Base, areEqual: @escaping @Sendable (Base.Value, Base.Value) -> Bool) {
            self.base = base
            self.areEqual = areEqual
        }

        /// The value, or nil if it equals the previous one.
        public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            if let previous, areEqual(previous, value) { return nil }
            previous = value
            return value
        }
    }

    /// Delivers the values of another reducer, and reports them.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        var base: Base
        let didReceiveValue: @Sendable (Base.Value) -> Void

        /// The same as for the base.
        public static var _continuesPrevious: Bool { Base._continuesPrevious }

        /// The value.
        public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            didReceiveValue(value)
            return value
        }
    }
}
