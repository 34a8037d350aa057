// The SQL literal: text with embedded expressions, selections, orderings and subqueries, which remain values. It is a
// list of segments rendered in order: `?` is never parsed.

/// SQL text with values embedded by string interpolation, safe from injection.
///
/// ```swift
/// let name = "O'Brien"
/// // UPDATE player SET name = ? WHERE id = ?   -- arguments: 'O''Brien', 42
/// try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(42)")
///
/// var query: SQL = "SELECT * FROM player"
/// query += " WHERE \(Column("score")) > \(1000)"
/// ```
///
/// Article: <doc:WritingSQL>.
public struct SQL: Hashable, Sendable {
    package enum Segment: Hashable, Sendable {
        case text(String, StatementArguments)
        case expression(SQLExpression)
        case selection(SQLSelection)
        case ordering(SQLOrdering)
        /// A subquery without parentheses.
        case subquery(SQLSubquery)
        case cte(CommonTable)
    }

    package private(set) var segments: [Segment]

    package init(segments: [Segment]) { self.segments = segments }

    /// Creates a literal from plain text and its arguments.
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        segments = [.text(sql, arguments)]
    }

    /// Creates a literal from an expression.
    public init(_ expression: some SQLSpecificExpressible) {
        segments = [.expression(expression.sqlExpression)]
    }

    /// Whether the literal has neither text nor arguments.
    public var isEmpty: Bool {
        segments.allSatisfy {
            if case .text(let sql, let arguments) = $0 { sql.isEmpty && arguments.isEmpty } else { false }
        }
    }

    /// Appends a literal.
    public mutating func append(literal sqlLiteral: SQL) { segments += sqlLiteral.segments }

    /// Appends plain text and its arguments.
    public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
        segments.append(.text(sql, arguments))
    }

    package mutating func append(_ segment: Segment) { segments.append(segment) }

    /// The concatenation of both literals.
    public static func + (lhs: SQL, rhs: SQL) -> SQL { SQL(segments: lhs.segments + rhs.segments) }

    /// Appends a literal.
    public static func += (lhs: inout SQL, rhs: SQL) { lhs.append(literal: rhs) }

    var isSymbolic: Bool {
        segments.contains {
            switch $0 {
            case .text: false
            case .expression(let expression): expression.isSymbolic
            case .selection(let selection): selection.isSymbolic
            case .ordering(let ordering): ordering.isSymbolic
            case .subquery(let subquery): subquery.isSymbolic
            case .cte(let table): table.query.isSymbolic
            }
        }
    }
}

/// The protocol of ``SQL`` only, for generic comparisons.
///
/// A string literal can be an `SQL`: operators on `SQL` itself would be candidates for `name != "x"`, change its type
/// and slow down the compilation of long conditions.
public protocol SQLLiteral: SQLSpecificExpressible, Equatable {
    // A requirement, because an extension's method would lose to Equatable's and the comparison would be a Bool.

    /// `a = b`
    static func == (lhs: Self, rhs: Self) -> SQLExpression
}

extension SQL: SQLLiteral {
    /// The literal as an expression.
    public var sqlExpression: SQLExpression { SQLExpression(.literal(self)) }
    /// The literal as a selection.
    public var sqlSelection: SQLSelection { SQLSelection(.literal(self)) }
    /// The literal as an ordering.
    public var sqlOrdering: SQLOrdering { SQLOrdering(.literal(self)) }
}

extension SQL: ExpressibleByStringInterpolation {
    /// Creates a literal from plain SQL.
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }
    /// Creates a literal from plain SQL.
    public init(extendedGraphemeClusterLiteral: String) { self.init(sql: extendedGraphemeClusterLiteral) }
    /// Creates a literal from plain SQL.
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }
    /// Creates a literal from SQL with interpolated values.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) { self = sqlInterpolation.literal }
}

extension Sequence where Element == SQL {
    /// The literals joined in order with a separator.
    public func joined(separator: String = "") -> SQL {
        var result = SQL(segments: [])
        for (index, literal) in enumerated() {
            if index > 0, !separator.isEmpty { result.append(sql: separator) }
            result.append(literal: literal)
        }
        return result
    }
}

/// The interpolations of an SQL literal.
public struct SQLInterpolation: StringInterpolationProtocol, Sendable {
    package var literal = SQL(segments: [])

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// `SELECT * FROM player`
    public mutating func appendLiteral(_ sql: String) {
        if !sql.isEmpty { literal.append(sql: sql) }
    }

    /// Plain text, without escaping: `SELECT * FROM \(sql: "player")`.
    public mutating func appendInterpolation(sql: String, arguments: StatementArguments = StatementArguments()) {
        literal.append(sql: sql, arguments: arguments)
    }

    /// `SELECT * FROM player WHERE \(literal: condition)`
    public mutating func appendInterpolation(literal sqlLiteral: SQL) { literal.append(literal: sqlLiteral) }

    /// `SELECT * FROM player WHERE \(condition)`
    public mutating func appendInterpolation(_ sqlLiteral: SQL) { literal.append(literal: sqlLiteral) }

    /// `SELECT \(identifier: "name") FROM player`: a quoted name.
    public mutating func appendInterpolation(identifier: String) {
        literal.append(sql: identifier.quotedDatabaseIdentifier)
    }

    /// A value or an expression: `... WHERE name = \(name)`. Nil becomes NULL.
    public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
        literal.append(.expression(expressible?.sqlExpression ?? .null))
    }

    /// `... WHERE \(Column("score")) > 10`
    public mutating func appendInterpolation<T: SQLExpressible>(_ expressible: T) {
        literal.append(.expression(expressible.sqlExpression))
    }

    /// `SELECT \(CodingKeys.name) FROM player`
    public mutating func appendInterpolation(_ codingKey: some CodingKey) {
        literal.append(.expression(Column(codingKey.stringValue).sqlExpression))
    }

    /// A coding key that is also an expression: `SELECT \(CodingKeys.name) FROM player`.
    public mutating func appendInterpolation(_ codingKey: some CodingKey & SQLExpressible) {
        literal.append(.expression(codingKey.sqlExpression))
    }

    /// A column: `SELECT \(CodingKeys.name) FROM player`.
    public mutating func appendInterpolation(_ column: some CodingKey & ColumnExpression) {
        literal.append(.expression(column.sqlExpression))
    }

    /// A value: the text of a substring.
    public mutating func appendInterpolation(_ text: Substring) { appendInterpolation(String(text)) }

    /// A list of values in parentheses: `... WHERE id IN \(ids)`. An empty sequence matches nothing.
    public mutating func appendInterpolation<S: Sequence>(_ sequence: S) where S.Element: SQLExpressible {
        append(list: sequence.map { $0.sqlExpression })
    }

    /// A list of expressions of several types, in parentheses. An empty sequence matches nothing.
    public mutating func appendInterpolation<S: Sequence>(_ sequence: S) where S.Element == any SQLExpressible {
        append(list: sequence.map { $0.sqlExpression })
    }

    private mutating func append(list: [SQLExpression]) {
        guard list.count < Renderer.largeListCount else {
            // A single argument.
            return literal.append(.expression(SQLExpression(.tuple(list))))
        }
        literal.append(sql: "(")
        for (index, element) in list.enumerated() {
            if index > 0 { literal.append(sql: ",") }
            literal.append(.expression(element))
        }
        literal.append(sql: list.isEmpty ? "SELECT NULL WHERE NULL)" : ")")
    }

    /// A value that is also a sequence, such as Data, is a single value: `... WHERE token = \(data)`.
    public mutating func appendInterpolation<T: SQLExpressible & Sequence>(_ value: T) where T.Element: SQLExpressible {
        literal.append(.expression(value.sqlExpression))
    }

    /// `SELECT \(AllColumns()) FROM player`
    public mutating func appendInterpolation(_ selection: some SQLSelectable) {
        literal.append(.selection(selection.sqlSelection))
    }

    /// A selection of any type. Nil becomes NULL.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ selection: (any SQLSelectable)?) {
        literal.append(.selection(selection?.sqlSelection ?? SQLExpression.null.sqlSelection))
    }

    // Swift warns about optionals in an interpolation unless its parameter is optional.
    /// An optional selection of one type.
    public mutating func appendInterpolation<T: SQLSelectable>(_ selection: T?) {
        literal.append(.selection(selection?.sqlSelection ?? SQLExpression.null.sqlSelection))
    }

    /// A selectable expression is written as an expression: `SELECT \((Column("a") + 1).forKey("b"))`.
    public mutating func appendInterpolation<T: SQLSelectable & SQLExpressible>(_ expressible: T) {
        literal.append(.expression(expressible.sqlExpression))
    }

    /// An optional expression of one type.
    public mutating func appendInterpolation<T: SQLSelectable & SQLExpressible>(_ expressible: T?) {
        literal.append(.expression(expressible?.sqlExpression ?? .null))
    }

    /// `... ORDER BY \(Column("name").desc)`
    public mutating func appendInterpolation(_ ordering: SQLOrdering) {
        literal.append(.ordering(ordering))
    }

    /// A subquery, without parentheses: `... WHERE score = (\(subquery))`.
    public mutating func appendInterpolation<T: SQLSubqueryable>(_ subquery: T) {
        literal.append(.subquery(subquery.sqlSubquery))
    }
}
