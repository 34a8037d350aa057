// The arguments of a statement: positional values, named values, or both. Pure data; which of them a statement
// needs is its own business (Statement+Arguments).

/// The values that a statement's parameters take.
///
/// ```swift
/// // INSERT INTO player (name, score) VALUES ('Arthur', 1000)
/// try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Arthur", 1000])
/// try db.execute(
///     sql: "INSERT INTO player (name, score) VALUES (:name, :score)",
///     arguments: ["name": "Arthur", "score": 1000])
/// ```
///
/// Source: <https://sqlite.org/lang_expr.html#varparam>
public struct StatementArguments: Hashable, Sendable {
    /// The positional values, in order.
    @usableFromInline package var values: [DatabaseValue]

    /// The named values; a name has no prefix.
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

    /// Whether there is no argument.
    public var isEmpty: Bool { values.isEmpty && namedValues.isEmpty }

    /// Appends positional values after the others, and merges named values.
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

    /// Both arguments, in order.
    ///
    /// - Precondition: no name is in both. Use `&+` to let the second replace the first.
    @_disfavoredOverload  // so that `["a"] + ["b"]` stays an array
    public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result += rhs
        return result
    }

    /// Both arguments, in order; a name in both takes its value from the second.
    public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result.append(contentsOf: rhs)
        return result
    }

    /// Appends arguments.
    ///
    /// - Precondition: no name is in both. Use `&+` to let the second replace the first.
    public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
        let replaced = lhs.append(contentsOf: rhs)
        precondition(
            replaced.isEmpty,
            "already defined statement arguments: \(replaced.keys.sorted().joined(separator: ", "))")
    }
}

extension StatementArguments: CustomStringConvertible {
    /// The values as SQL literals: `[1, 'Arthur']`, `["name": 'Arthur']`.
    public var description: String { description(\.description) }

    /// The description for an error, in which long values are cut.
    package var errorDescription: String { description(\.errorDescription) }

    private func description(_ text: (DatabaseValue) -> String) -> String {
        let positional = values.map(text)
        let named = namedValues.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \(text($0.value))" }
        return "[" + (positional + named).joined(separator: ", ") + "]"
    }
}
