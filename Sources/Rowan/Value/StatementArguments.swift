// The arguments of a statement: positional values, named values, or both. Pure data: the statement checks it against
// its parameters (Statement+Arguments).

/// The values of a statement's parameters.
///
/// ```swift
/// // INSERT INTO player (name, score) VALUES ('Arthur', 1000)
/// try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Arthur", 1000])
/// try db.execute(
///     sql: "INSERT INTO player (name, score) VALUES (:name, :score)",
///     arguments: ["name": "Arthur", "score": 1000])
/// ```
///
/// Article: <doc:WritingSQL>.
///
/// Source: <https://sqlite.org/lang_expr.html#varparam>
public struct StatementArguments: Hashable, Sendable {
    /// The positional values, in order.
    @usableFromInline package var values: [DatabaseValue]

    /// The named values. Names have no prefix.
    @usableFromInline package var namedValues: [String: DatabaseValue]

    /// No arguments.
    public init() {
        values = []
        namedValues = [:]
    }

    @inlinable
    package init(values: [DatabaseValue], namedValues: [String: DatabaseValue] = [:]) {
        self.values = values
        self.namedValues = namedValues
    }

    /// Whether there are no arguments.
    public var isEmpty: Bool { values.isEmpty && namedValues.isEmpty }

    /// Appends the positional values and merges the named values.
    ///
    /// - Returns: the named values that were replaced.
    @discardableResult
    public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
        var replaced: [String: DatabaseValue] = [:]
        values.append(contentsOf: arguments.values)
        for (name, value) in arguments.namedValues {
            if let old = namedValues.updateValue(value, forKey: name) { replaced[name] = old }
        }
        return replaced
    }

    /// The arguments of both operands, in order. If a name is in both, the second value wins.
    public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result.append(contentsOf: rhs)
        return result
    }

    /// Appends arguments.
    ///
    /// - Precondition: no name is in both. `&+` lets the second value replace the first.
    public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
        let replaced = lhs.append(contentsOf: rhs)
        precondition(
            replaced.isEmpty,
            "arguments set twice (\(replaced.keys.sorted().joined(separator: ", "))): use &+ to replace the first values"
        )
    }
}

/// The type ``StatementArguments``, whose `+` is generic so that `["a"] + (isLong ? ["b"] : [])` stays an array.
public protocol StatementArgumentsOperand {}

extension StatementArguments: StatementArgumentsOperand {}

extension StatementArgumentsOperand where Self == StatementArguments {
    /// The arguments of both operands, in order.
    ///
    /// - Precondition: no name is in both. `&+` lets the second value replace the first.
    public static func + (lhs: Self, rhs: Self) -> Self {
        var result = lhs
        result += rhs
        return result
    }
}

extension StatementArguments: CustomStringConvertible {
    /// The values as SQL literals: `[1, 'Arthur']` or `["name": 'Arthur']`.
    public var description: String { description(\.description) }

    /// The description for an error message, which truncates long values.
    package var errorDescription: String { description(\.errorDescription) }

    private func description(_ text: (DatabaseValue) -> String) -> String {
        let positional = values.map(text)
        let named = namedValues.sorted(on: \.key).map { "\"\($0.key)\": \(text($0.value))" }
        return "[" + (positional + named).joined(separator: ", ") + "]"
    }
}
