// Values as convertible values, and conversions from and to `Any`.

public import CSQLite
import Foundation

extension DatabaseValue: DatabaseValueConvertible, StatementColumnConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { self }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> DatabaseValue? { column.databaseValue }

    /// The value of anything that converts: a ``DatabaseValueConvertible``, or nil in an optional.
    public init?(value: Any) {
        guard let convertible = value as? any DatabaseValueConvertible else { return nil }
        self = convertible.databaseValue
    }
}

extension DatabaseValue: SQLSpecificExpressible {}

extension DatabaseValue.Storage {
    /// The Int64, Double, String or Data; nil for NULL.
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
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .some(let value): value.bind(to: sqliteStatement, at: index)
        case .none: sqlite3_bind_null(sqliteStatement, index)
        }
    }
}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    public var sqlExpression: SQLExpression { self?.sqlExpression ?? .null }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLOrdering(.expression(.null, .none))
    }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    public var sqlSelection: SQLSelection { self?.sqlSelection ?? SQLSelection(.expression(.null)) }
}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    @inlinable
    public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Wrapped?? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(.some(value)) }
        return dbValue.isNull ? .some(.none) : .none
    }

    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Wrapped?? {
        if let value = Wrapped.fromColumn(column) { return .some(.some(value)) }
        return column.isNull ? .some(.none) : .none
    }

    @inlinable
    public static func fromMissingColumn() -> Wrapped?? { .some(.none) }
}

extension Optional: StatementColumnConvertible
where Wrapped: DatabaseValueConvertible & StatementColumnConvertible {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let result = Self.fromDatabaseValue(value) else { return nil }
        self = result
    }
}

extension StatementArguments {
    /// Positional arguments.
    public init<S: Sequence>(_ sequence: S) where S.Element: DatabaseValueConvertible {
        self.init(values: sequence.map { $0.databaseValue })
    }

    /// Positional arguments.
    public init<S: Sequence>(_ sequence: S) where S.Element == (any DatabaseValueConvertible)? {
        self.init(values: sequence.map { $0?.databaseValue ?? .null })
    }

    /// Named arguments: the keys have no prefix.
    public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(values: [], namedValues: dictionary.mapValues { $0?.databaseValue ?? .null })
    }

    /// Named arguments. The last of two arguments with one name wins.
    public init<S: Sequence>(_ sequence: S) where S.Element == (String, (any DatabaseValueConvertible)?) {
        self.init(
            values: [],
            namedValues: Dictionary(
                sequence.map { ($0.0, $0.1?.databaseValue ?? .null) }, uniquingKeysWith: { _, last in last }))
    }

    /// Positional arguments, or nil if an element does not convert.
    public init?(_ array: [Any]) {
        var values: [DatabaseValue] = []
        for element in array {
            guard let value = DatabaseValue(value: element) else { return nil }
            values.append(value)
        }
        self.init(values: values)
    }

    /// Named arguments, or nil if a key is not a string, or a value does not convert.
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
    /// `arguments: ["Arthur", 1000, nil]`
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        self.init(values: elements.storedValues())
    }
}

extension [(any DatabaseValueConvertible)?] {
    /// The stored values. Each element is opened where it lies, as a mutation opens it: a copy of an existential is dear
    /// (benchmark insert-statement).
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
    /// Mutates nothing. `mutating` so that the caller does not copy the existential that it opens.
    fileprivate mutating func storedValueInPlace() -> DatabaseValue { databaseValue }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
    /// `arguments: ["name": "Arthur", "score": 1000]`
    public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements)
    }
}
