// SQL expressions: a closed tree of values. A node that depends on the schema, such as the primary key, marks its
// ancestors as symbolic. The resolver rewrites only those trees.

/// An SQL expression.
///
/// Build expressions from columns, values and Swift operators:
///
/// ```swift
/// // SELECT * FROM "player" WHERE ("score" > 1000) AND ("team" IS NULL)
/// Player.filter { $0.score > 1000 && $0.team == nil }
/// ```
///
/// Article: <doc:Expressions>.
///
/// Source: <https://sqlite.org/lang_expr.html>
public struct SQLExpression: Hashable, Sendable {
    package let node: Node

    /// Whether the expression contains parts that depend on the schema.
    package let isSymbolic: Bool

    /// The nesting depth of operations: see SQLExpression+Depth.
    let depth: Int32

    package init(_ node: Node) { self.init(node, isSymbolic: node.isSymbolic, depth: node.depth) }

    /// A column whose record type converts the values it is compared with, which requires the resolver.
    package init(convertingColumn name: String) { self.init(.column(name, .current), isSymbolic: true, depth: 0) }

    init(_ node: Node, isSymbolic: Bool, depth: Int32) {
        self.depth = depth
        guard depth <= Self.maximumDepth else {
            self.node = .symbol(.tooDeep)
            self.isSymbolic = true
            return
        }
        self.node = node
        self.isSymbolic = isSymbolic
    }

    package indirect enum Node: Hashable, Sendable {
        case value(DatabaseValue)
        /// A value written into the SQL as a literal: SQLite uses an index on an expression only if the SQL text is the
        /// same.
        case constant(DatabaseValue)
        case column(String, TableReference)
        case literal(SQL)
        case unary(UnaryOperator, SQLExpression)
        case binary(BinaryOperator, SQLExpression, SQLExpression)
        case associative(AssociativeBinaryOperator, OperandList)
        /// `a = b`, `a IS NULL` and their negations.
        case equal(SQLExpression, SQLExpression, isNegated: Bool)
        case between(SQLExpression, SQLExpression, SQLExpression, isNegated: Bool)
        case isIn(SQLExpression, Container, isNegated: Bool)
        case like(SQLExpression, SQLExpression, escape: SQLExpression?, isNegated: Bool)
        case collated(SQLExpression, String)
        case function(FunctionCall)
        /// A function call over a window: `RANK() OVER (ORDER BY a)`.
        case windowed(SQLExpression, WindowReference)
        /// `CASE WHEN a THEN b ELSE c END`
        case conditional(CaseExpression)
        case cast(SQLExpression, String)
        case subquery(SQLSubquery)
        case exists(SQLSubquery, isNegated: Bool)
        /// Values in parentheses, as the right operand of IN.
        case tuple([SQLExpression])
        /// A value whose stored form a record type can choose.
        case storable(StorableValue)
        /// An expression in which some aliases refer to the sources of other aliases.
        case bound(SQLExpression, [AliasBinding])
        /// A placeholder for SQL that only the resolver can determine. A `Select` contains none.
        case symbol(Symbol)
    }

    /// The placeholders of expressions.
    package enum Symbol: Hashable, Sendable {
        /// A condition: the primary key of the current table is one of these values.
        case primaryKey(isIn: [SQLExpression])
        /// A value computed over the associated rows of the current table.
        case aggregate(AssociatedValue)
        /// Whether the row of an alias exists: its primary key is not NULL.
        case rowExists(TableAliasID)
        /// The table argument of the auxiliary functions of a full-text table.
        case fullText(FullTextTerm, TableReference)
        /// Expressions that are determined once a connection is available.
        case deferred(Deferred<SQLExpression>)
        /// The remainder of an expression that is nested too deeply: rejected by the resolver.
        case tooDeep
    }

    /// An argument to the auxiliary functions of full-text tables.
    package enum FullTextTerm: Hashable, Sendable {
        /// The hidden column with the name of the table.
        case table
        /// The position of a column in the table.
        case position(ofColumn: String)
    }

    /// The right operand of IN.
    package enum Container: Hashable, Sendable {
        case expressions([SQLExpression])
        case subquery(SQLSubquery)
        case table(String)
        /// Any number of rows of values, which become a single argument where SQLite supports it. Each column with a
        /// type is cast to it.
        case values([[DatabaseValue]], types: [String?] = [])
        /// Row values of equal size: `(VALUES (1, 2), (3, 4))`.
        case rows([[SQLExpression]])
    }

    package enum UnaryOperator: String, Hashable, Sendable {
        case not = "NOT "
        case minus = "-"
        /// No operation, but it prevents the use of indexes and virtual tables for an expression.
        case plus = "+"
        case bitwiseNot = "~"
    }

    package enum BinaryOperator: String, Hashable, Sendable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case isSame = "IS"
        case isNotSame = "IS NOT"
        case subtract = "-"
        case divide = "/"
        case remainder = "%"
        case leftShift = "<<"
        case rightShift = ">>"
        case glob = "GLOB"
        case regexp = "REGEXP"
        case match = "MATCH"
        case jsonRepresentation = "->"
        case jsonValue = "->>"
    }

    /// An operator whose operands can be regrouped: `a + b + c`.
    public struct AssociativeBinaryOperator: Hashable, Sendable {
        package let sql: String
        /// The result if there are no operands.
        package let neutralValue: DatabaseValue

        package init(sql: String, neutralValue: DatabaseValue.Storage) {
            self.sql = sql
            self.neutralValue = DatabaseValue(storage: neutralValue)
        }

        /// The `+` operator. Without operands, the result is 0.
        public static let add = AssociativeBinaryOperator(sql: "+", neutralValue: .int64(0))
        /// The `*` operator. Without operands, the result is 1.
        public static let multiply = AssociativeBinaryOperator(sql: "*", neutralValue: .int64(1))
        /// The `AND` operator. Without operands, the result is true.
        public static let and = AssociativeBinaryOperator(sql: "AND", neutralValue: .int64(1))
        /// The `OR` operator. Without operands, the result is false.
        public static let or = AssociativeBinaryOperator(sql: "OR", neutralValue: .int64(0))
        /// The `&` operator. Without operands, the result is -1: all bits are set.
        public static let bitwiseAnd = AssociativeBinaryOperator(sql: "&", neutralValue: .int64(-1))
        /// The `|` operator. Without operands, the result is 0.
        public static let bitwiseOr = AssociativeBinaryOperator(sql: "|", neutralValue: .int64(0))
        /// The `||` operator. Without operands, the result is the empty text.
        public static let concat = AssociativeBinaryOperator(sql: "||", neutralValue: .string(""))
    }
}

extension SQLExpression: SQLSpecificExpressible {
    /// The expression itself.
    public var sqlExpression: SQLExpression { self }

    package static func value(_ storage: DatabaseValue.Storage) -> SQLExpression {
        SQLExpression(.value(DatabaseValue(storage: storage)))
    }

    package static let null = SQLExpression.value(.null)

    static func tooDeep(_ depth: Int32) -> SQLExpression {
        SQLExpression(.symbol(.tooDeep), isSymbolic: true, depth: depth)
    }

    /// Expressions joined by an operator. A single expression is returned unchanged, and an empty list gives the
    /// operator's neutral value.
    package static func joined(
        _ expressions: [SQLExpression], by op: AssociativeBinaryOperator
    ) -> SQLExpression {
        switch expressions.count {
        case 0: SQLExpression(.value(op.neutralValue))
        case 1: expressions[0]
        default:
            if op.isRegroupable, expressions.contains(where: { $0.operands(of: op) != nil }) {
                SQLExpression(.associative(op, OperandList(expressions.flatMap { $0.operands(of: op)?.all ?? [$0] })))
            } else {
                SQLExpression(.associative(op, OperandList(expressions)))
            }
        }
    }

    /// The condition that this column or tuple of columns equals one of the rows of values.
    package func isOne(of rows: [[DatabaseValue]]) -> SQLExpression {
        guard rows.count == 1 else { return SQLExpression(.isIn(self, .values(rows), isNegated: false)) }
        let values = rows[0].map { SQLExpression(.value($0)) }
        return SQLExpression(
            .equal(self, values.count == 1 ? values[0] : SQLExpression(.tuple(values)), isNegated: false))
    }

    /// Whether this is the value 0, a condition that no row satisfies.
    var isFalse: Bool { if case .value(let value) = node { value.storage == .int64(0) } else { false } }

    /// The logical negation, in its simplest form: `a <> b` rather than `NOT a = b`.
    package var negated: SQLExpression {
        switch node {
        case .equal(let a, let b, let isNegated): SQLExpression(.equal(a, b, isNegated: !isNegated))
        case .between(let a, let b, let c, let isNegated): SQLExpression(.between(a, b, c, isNegated: !isNegated))
        case .isIn(let a, let container, let isNegated): SQLExpression(.isIn(a, container, isNegated: !isNegated))
        case .like(let a, let b, let escape, let isNegated):
            SQLExpression(.like(a, b, escape: escape, isNegated: !isNegated))
        case .exists(let subquery, let isNegated): SQLExpression(.exists(subquery, isNegated: !isNegated))
        case .binary(.isSame, let a, let b): SQLExpression(.binary(.isNotSame, a, b))
        case .binary(.isNotSame, let a, let b): SQLExpression(.binary(.isSame, a, b))
        case .value(let value) where value.storage == .int64(0): .value(.int64(1))
        case .value(let value) where value.storage == .int64(1): .value(.int64(0))
        case .value, .constant, .column, .literal, .unary, .binary, .associative, .collated, .function, .windowed,
            .conditional, .cast, .subquery, .tuple, .storable, .bound, .symbol:
            SQLExpression(.unary(.not, self))
        }
    }
}

/// The table of a column.
package enum TableReference: Hashable, Sendable {
    /// The current table of the enclosing query.
    case current
    /// No table: the bare name, never qualified.
    case none
    /// The table of an alias.
    case alias(TableAliasID)
}

/// An alias that refers to the source of another alias.
package struct AliasBinding: Hashable, Sendable {
    package var alias: TableAliasID
    package var stands: TableAliasID

    package init(alias: TableAliasID, stands: TableAliasID) {
        self.alias = alias
        self.stands = stands
    }
}

/// The identity of a table alias: a number, and the user-defined name, if any.
package struct TableAliasID: Hashable, Sendable {
    package let number: Int
    package let name: String?

    package init(number: Int, name: String?) {
        self.number = number
        self.name = name
    }
}
