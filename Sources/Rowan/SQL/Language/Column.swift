// Columns, and the assignments of UPDATE and UPSERT.

/// A type that represents a column.
public protocol ColumnExpression: SQLSpecificExpressible {
    /// The name of the column, not quoted.
    var name: String { get }
}

extension ColumnExpression {
    /// The column, in the table of the enclosing query.
    public var sqlExpression: SQLExpression { SQLExpression(.column(name, .current)) }

    /// The column as a bare name, never qualified with a table: for a name defined by `forKey`, or a column of a raw
    /// SQL snippet.
    public var detached: SQLExpression { SQLExpression(.column(name, .none)) }
}

extension ColumnExpression where Self: RawRepresentable, RawValue == String {
    /// The raw value: `enum Columns: String, ColumnExpression { case id, name }`.
    public var name: String { rawValue }
}

extension ColumnExpression where Self: CodingKey {
    /// The name of the coding key: `enum CodingKeys: CodingKey, ColumnExpression { case id, name }`.
    public var name: String { stringValue }
}

extension ColumnExpression where Self: CodingKey & RawRepresentable, RawValue == String {
    /// The name of the coding key.
    public var name: String { stringValue }
}

extension ColumnExpression where Self == Column {
    /// The hidden `rowid` column. <https://sqlite.org/rowidtable.html>
    public static var rowID: Self { Column("rowid") }
}

/// A column of a table or a row.
///
/// ```swift
/// extension Player: TableRecord {
///     enum Columns {
///         static let name = Column("name")
///         static let score = Column(CodingKeys.score)
///     }
/// }
/// ```
///
/// Article: <doc:FiltersAndOrders>.
@frozen
public struct Column: Hashable, Sendable, ColumnExpression {
    /// The name of the column, not quoted.
    public var name: String

    /// The hidden `rowid` column. <https://sqlite.org/rowidtable.html>
    public static let rowID = Column("rowid")

    /// Creates a column with this name.
    @inlinable
    public init(_ name: String) { self.name = name }

    /// Creates a column with the name of a coding key.
    @inlinable
    public init(_ codingKey: some CodingKey) { self.name = codingKey.stringValue }
}

extension SQLSelectable where Self == Column {
    /// The hidden `rowid` column.
    public static var rowID: Self { Column.rowID }
}

extension SQLExpressible where Self == Column {
    /// The hidden `rowid` column.
    public static var rowID: Self { Column.rowID }
}

/// The assignment of a value to a column, in an UPDATE or an UPSERT.
///
/// ```swift
/// // UPDATE "player" SET "score" = "score" + 100
/// try Player.updateAll(db) { $0.score += 100 }
/// ```
public struct ColumnAssignment: Hashable, Sendable {
    package let column: String
    /// The new value; nil to keep the stored value (`noOverwrite`).
    package let value: SQLExpression?
    /// Whether the record type converts the value to another stored form.
    package let convertsValue: Bool

    package init(column: String, value: SQLExpression?, convertsValue: Bool = false) {
        self.column = column
        self.value = value
        self.convertsValue = convertsValue
    }
}

extension ColumnExpression {
    /// Assigns a value, or NULL: `$0.score.set(to: 0)`.
    public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
        ColumnAssignment(column: name, value: value?.sqlExpression ?? .null)
    }

    /// Keeps the stored value in an upsert.
    public var noOverwrite: ColumnAssignment { ColumnAssignment(column: name, value: nil) }

    /// `score = score + 1`
    public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: SQLExpression.associative(.add, column, value))
    }
    /// `score = score - 1`
    public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: SQLExpression.binary(.subtract, column, value))
    }
    /// `score = score * 2`
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: SQLExpression.associative(.multiply, column, value))
    }
    /// `score = score / 2`
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: SQLExpression.binary(.divide, column, value))
    }
    /// `mask = mask & 2`
    public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: SQLExpression.associative(.bitwiseAnd, column, value))
    }
    /// `mask = mask | 2`
    public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: SQLExpression.associative(.bitwiseOr, column, value))
    }
    /// `mask = mask << 2`
    public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: SQLExpression.binary(.leftShift, column, value))
    }
    /// `mask = mask >> 2`
    public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: SQLExpression.binary(.rightShift, column, value))
    }
}

extension SQLExpression {
    static func binary(
        _ op: BinaryOperator, _ lhs: some SQLExpressible, _ rhs: some SQLExpressible
    ) -> SQLExpression {
        SQLExpression(.binary(op, lhs.sqlExpression, rhs.sqlExpression))
    }
}
