// Columns and expressions with the Swift type of their values. They don't conform to SQLSpecificExpressible, whose
// operators accept any type.

/// A type that can be used as an SQL expression, with values of a Swift type.
public protocol SQLTypedExpressible<Value>: SQLExpressible, SQLOrderingTerm, SQLSelectable {
    /// The type of the values: optional if they may be NULL.
    associatedtype Value: SQLExpressible
}

/// A column with the type of its values: comparing it with another type does not compile.
///
/// ```swift
/// extension Player: TableRecord {
///     enum Columns {
///         static let id = TypedColumn<Int64>("id")
///         static let score = TypedColumn<Int>("score")
///         static let team = TypedColumn<String?>("team")
///     }
/// }
///
/// // SELECT * FROM "player" WHERE ("score" > ?) AND ("team" IS NULL)
/// Player.filter { $0.score > 1000 && $0.team == nil }
/// Player.filter { $0.score == "text" }   // does not compile
///
/// let score = row[Player.Columns.score]   // Int
/// ```
///
/// For operations that have no typed form, use ``untyped``: `$0.score.untyped & 1`.
///
/// Article: <doc:Expressions>.
public struct TypedColumn<Value: SQLExpressible>: SQLTypedExpressible, Sendable {
    /// The name of the column, not quoted.
    public let name: String

    /// Whether the record type stores values in a different form than their type: compared values are then converted.
    package var convertsValues: Bool { decode != nil }
    /// Decodes the values of such a column; nil if the column does not convert.
    package let decode: (@Sendable (ColumnValue) -> Value?)?

    /// Creates a column with this name.
    public init(_ name: String) {
        self.name = name
        decode = nil
    }

    package init(_ name: String, decode: @escaping @Sendable (ColumnValue) -> Value?) {
        self.name = name
        self.decode = decode
    }

    /// Creates a column with the name of a coding key.
    public init(_ codingKey: some CodingKey) { self.init(codingKey.stringValue) }

    /// The column without its type, which can be compared with any value.
    public var untyped: Column { Column(name) }

    /// The column, in the table of the enclosing query.
    public var sqlExpression: SQLExpression {
        convertsValues ? SQLExpression(convertingColumn: name) : untyped.sqlExpression
    }

    /// The column as a bare name, never qualified: see ``ColumnExpression/detached``.
    public var detached: TypedExpression<Value> { TypedExpression(untyped.detached) }
}

/// A ``TypedColumn`` of any type: `player.update(db, columns: [Columns.score, Columns.name])`.
public protocol AnyTypedColumn: Sendable {
    /// The name of the column, not quoted.
    var name: String { get }
}

extension TypedColumn: AnyTypedColumn {}

/// An expression with the type of its values: `max($0.score)` for a ``TypedColumn``.
public struct TypedExpression<Value: SQLExpressible>: SQLTypedExpressible, Sendable {
    /// The expression without its type, which can be compared with any value.
    public let untyped: SQLExpression

    /// Creates an expression whose values are declared to have this type.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE INSTR("name", ?) > ?
    /// Player.filter { TypedExpression<Int>(instr($0.name.untyped, "a")) > 10 }
    /// ```
    public init(_ expression: some SQLSpecificExpressible) { untyped = expression.sqlExpression }

    /// The expression without its type.
    public var sqlExpression: SQLExpression { untyped }
}

extension SQLTypedExpressible {
    /// The ordering by the expression, without an explicit direction.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
    /// The expression as a selection.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    /// `score ASC`
    public var asc: SQLOrdering { sqlExpression.asc }
    /// `score DESC`
    public var desc: SQLOrdering { sqlExpression.desc }
    /// `score ASC NULLS LAST`
    public var ascNullsLast: SQLOrdering { sqlExpression.ascNullsLast }
    /// `score DESC NULLS FIRST`
    public var descNullsFirst: SQLOrdering { sqlExpression.descNullsFirst }

    /// Names the expression in the fetched rows: `score AS "points"`.
    public func forKey(_ key: String) -> SQLSelection { sqlExpression.forKey(key) }
    /// Names the expression after a coding key.
    public func forKey(_ key: some CodingKey) -> SQLSelection { sqlExpression.forKey(key) }

    /// `IFNULL(score, 0)`: an expression that is never NULL.
    public static func ?? <Wrapped>(lhs: Self, rhs: Wrapped) -> TypedExpression<Wrapped> where Value == Wrapped? {
        TypedExpression(lhs.sqlExpression ?? rhs)
    }
}

// MARK: - Lists and ranges

extension Sequence where Element: SQLExpressible {
    /// `score IN (1, 2, 3)`
    public func contains(_ element: some SQLTypedExpressible<Element>) -> SQLExpression {
        contains(element.sqlExpression)
    }
    /// `score IN (1, 2, 3)`, where the score may be NULL
    public func contains(_ element: some SQLTypedExpressible<Element?>) -> SQLExpression {
        contains(element.sqlExpression)
    }
}

extension ClosedRange where Bound: SQLExpressible {
    /// `score BETWEEN 1 AND 3`
    public func contains(_ element: some SQLTypedExpressible<Bound>) -> SQLExpression {
        contains(element.sqlExpression)
    }
    /// `score BETWEEN 1 AND 3`, where the score may be NULL
    public func contains(_ element: some SQLTypedExpressible<Bound?>) -> SQLExpression {
        contains(element.sqlExpression)
    }
}

extension Range where Bound: SQLExpressible {
    /// `(score >= 1) AND (score < 3)`
    public func contains(_ element: some SQLTypedExpressible<Bound>) -> SQLExpression {
        contains(element.sqlExpression)
    }
    /// `(score >= 1) AND (score < 3)`, where the score may be NULL
    public func contains(_ element: some SQLTypedExpressible<Bound?>) -> SQLExpression {
        contains(element.sqlExpression)
    }
}

extension PartialRangeFrom where Bound: SQLExpressible {
    /// `score >= 1`
    public func contains(_ element: some SQLTypedExpressible<Bound>) -> SQLExpression {
        contains(element.sqlExpression)
    }
    /// `score >= 1`, where the score may be NULL
    public func contains(_ element: some SQLTypedExpressible<Bound?>) -> SQLExpression {
        contains(element.sqlExpression)
    }
}

extension PartialRangeThrough where Bound: SQLExpressible {
    /// `score <= 3`
    public func contains(_ element: some SQLTypedExpressible<Bound>) -> SQLExpression {
        contains(element.sqlExpression)
    }
    /// `score <= 3`, where the score may be NULL
    public func contains(_ element: some SQLTypedExpressible<Bound?>) -> SQLExpression {
        contains(element.sqlExpression)
    }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
    /// `score < 3`
    public func contains(_ element: some SQLTypedExpressible<Bound>) -> SQLExpression {
        contains(element.sqlExpression)
    }
    /// `score < 3`, where the score may be NULL
    public func contains(_ element: some SQLTypedExpressible<Bound?>) -> SQLExpression {
        contains(element.sqlExpression)
    }
}

// MARK: - Texts

extension SQLTypedExpressible<String> {
    /// `name LIKE pattern ESCAPE escape`. <https://sqlite.org/lang_expr.html#like>
    public func like(_ pattern: String, escape: String? = nil) -> SQLExpression {
        sqlExpression.like(pattern, escape: escape)
    }
    /// `name GLOB pattern`. <https://sqlite.org/lang_expr.html#glob>
    public func glob(_ pattern: String) -> SQLExpression { sqlExpression.glob(pattern) }
}

extension SQLTypedExpressible<String?> {
    /// `name LIKE pattern ESCAPE escape`. <https://sqlite.org/lang_expr.html#like>
    public func like(_ pattern: String, escape: String? = nil) -> SQLExpression {
        sqlExpression.like(pattern, escape: escape)
    }
    /// `name GLOB pattern`. <https://sqlite.org/lang_expr.html#glob>
    public func glob(_ pattern: String) -> SQLExpression { sqlExpression.glob(pattern) }
}
