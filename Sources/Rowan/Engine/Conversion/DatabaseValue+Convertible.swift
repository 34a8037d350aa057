// Database values as convertible values, and their conversions to and from `Any`.

public import RowanSQLite
import RowanPlatform

extension DatabaseValue: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value itself.
    @inlinable
    public var databaseValue: DatabaseValue { self }

    /// The value itself.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

    /// The value of the column.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> DatabaseValue? { column.databaseValue }

    /// Creates a value from a ``DatabaseValueConvertible``, or NULL from nil. Returns nil for any other type.
    public init?(value: Any) {
        guard let convertible = value as? any DatabaseValueConvertible else { return nil }
        self = convertible.databaseValue
    }
}

extension DatabaseValue: SQLSpecificExpressible {}

extension DatabaseValue.Storage {
    /// The content as an Int64, Double, String or Data; nil for NULL.
    public var value: (any DatabaseValueConvertible)? {
        switch self {
        case .null: nil
        case .int64(let integer): integer
        case .double(let double): double
        case .string(let string): string
        case .blob(let data): data
        }
    }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// Binds the wrapped value, or NULL.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .some(let value): value.bind(to: sqliteStatement, at: index)
        case .none: sqlite3_bind_null(sqliteStatement, index)
        }
    }
}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    /// The expression of the wrapped value, or NULL.
    public var sqlExpression: SQLExpression { self?.sqlExpression ?? .null }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    /// The ordering of the wrapped value, or NULL.
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLOrdering(.expression(.null, .none))
    }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    /// The selection of the wrapped value, or NULL.
    public var sqlSelection: SQLSelection { self?.sqlSelection ?? SQLSelection(.expression(.null)) }
}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    /// The database value of the wrapped value, or NULL.
    @inlinable
    public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    /// Converts to the wrapped type; NULL converts to nil if the wrapped type rejects it.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(.some(value)) }
        return dbValue.isNull ? .some(.none) : .none
    }

    /// Converts a column to the wrapped type; NULL converts to nil if the wrapped type rejects it.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Wrapped?? {
        if let value = Wrapped.fromColumn(column) { return .some(.some(value)) }
        return column.isNull ? .some(.none) : .none
    }

    /// A missing column converts to nil.
    @inlinable
    public static func fromMissingColumn() -> Wrapped?? { .some(.none) }
}

extension Optional: StatementColumnConvertible
where Wrapped: DatabaseValueConvertible & StatementColumnConvertible {
    /// Reads a column of the current row; fails if the conversion fails.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let result = Self.fromDatabaseValue(value) else { return nil }
        self = result
    }
}

extension StatementArguments {
    /// Creates positional arguments from values of one type.
    public init<S: Sequence>(_ sequence: S) where S.Element: DatabaseValueConvertible {
        self.init(values: sequence.map { $0.databaseValue })
    }

    /// Creates positional arguments from values of several types.
    public init<S: Sequence>(_ sequence: S) where S.Element == (any DatabaseValueConvertible)? {
        self.init(values: sequence.map { $0?.databaseValue ?? .null })
    }

    /// Creates named arguments. The names have no prefix.
    public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(values: [], namedValues: dictionary.mapValues { $0?.databaseValue ?? .null })
    }

    /// Creates named arguments from pairs. If two pairs have the same name, the last one is used.
    public init<S: Sequence>(_ sequence: S) where S.Element == (String, (any DatabaseValueConvertible)?) {
        self.init(
            values: [],
            namedValues: Dictionary(
                sequence.map { ($0.0, $0.1?.databaseValue ?? .null) }, uniquingKeysWith: { _, last in last }))
    }

    /// Creates positional arguments from an untyped array, or returns nil if an element can't be converted.
    public init?(_ array: [Any]) {
        var values: [DatabaseValue] = []
        for element in array {
            guard let value = DatabaseValue(value: element) else { return nil }
            values.append(value)
        }
        self.init(values: values)
    }

    /// Creates named arguments from an untyped dictionary, or returns nil if a key is not a string or a value can't be
    /// converted.
    public init?(_ dictionary: [AnyHashable: Any]) {
        var values: [String: DatabaseValue] = [:]
        for (key, value) in dictionary {
            guard let name = key as? String, let value = DatabaseValue(value: value) else { return nil }
            values[name] = value
        }
        self.init(values: [], namedValues: values)
    }
}

extension StatementArguments: ExpressibleByArrayLiteral {
    /// Creates positional arguments from a literal: `arguments: ["Arthur", 1000, nil]`.
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        self.init(values: elements.storedValues())
    }
}

extension [(any DatabaseValueConvertible)?] {
    /// The stored values. Each element is converted in place, because copying an existential is expensive (benchmark
    /// insert-statement).
    fileprivate consuming func storedValues() -> [DatabaseValue] {
        var values: [DatabaseValue] = []
        values.reserveCapacity(count)
        withUnsafeMutableBufferPointer { elements in
            for index in elements.indices { values.append(elements[index]?.storedValueInPlace() ?? .null) }
        }
        return values
    }
}

extension DatabaseValueConvertible {
    /// Mutates nothing: `mutating` prevents a copy of the existential.
    fileprivate mutating func storedValueInPlace() -> DatabaseValue { databaseValue }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
    /// Creates named arguments from a literal: `arguments: ["name": "Arthur", "score": 1000]`.
    public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements)
    }
}
