// CASE, in both forms.

/// A choice between values: `CASE WHEN ... THEN ... ELSE ... END`.
///
/// ```swift
/// // CASE WHEN "score" >= ? THEN ? WHEN "score" >= ? THEN ? ELSE ? END
/// CaseExpression()
///     .when($0.score >= 1000, then: "gold")
///     .when($0.score >= 100, then: "silver")
///     .otherwise("bronze")
///
/// // CASE "kind" WHEN ? THEN ? WHEN ? THEN ? END
/// CaseExpression($0.kind)
///     .when("a", then: 1)
///     .when("b", then: 2)
/// ```
///
/// The first matching branch provides the value. If no branch matches, the value is that of ``otherwise(_:)`` or NULL.
///
/// Article: <doc:Expressions>.
///
/// Source: <https://sqlite.org/lang_expr.html#the_case_expression>
public struct CaseExpression: Sendable, SQLSpecificExpressible {
    private struct Branch: Hashable, Sendable {
        var condition: SQLExpression
        var value: SQLExpression
    }

    private var base: SQLExpression?
    private var branches: [Branch] = []
    private var fallback: SQLExpression?

    /// Creates a choice between conditions.
    public init() {}

    /// Creates a choice between the values of an expression. Values are compared with `=`, so no branch matches NULL.
    public init(_ base: some SQLSpecificExpressible) { self.base = base.sqlExpression }

    /// Adds a branch. It matches when the condition is true or, for a choice with a base, when the base equals the
    /// value. The first matching branch wins.
    public func when(_ condition: some SQLExpressible, then value: (any SQLExpressible)?) -> CaseExpression {
        var result = self
        result.branches.append(
            Branch(condition: condition.sqlExpression, value: value?.sqlExpression ?? .null))
        return result
    }

    /// Sets the value for the rows that match no branch.
    public func otherwise(_ value: (any SQLExpressible)?) -> CaseExpression {
        var result = self
        result.fallback = value?.sqlExpression ?? .null
        return result
    }

    /// The choice as an expression. A choice without branches is the value of ``otherwise(_:)`` or NULL.
    public var sqlExpression: SQLExpression {
        branches.isEmpty ? fallback ?? .null : SQLExpression(.conditional(self))
    }
}

extension CaseExpression: Hashable {
    // These operators produce SQL, like those of other terms: see SQLOperators.

    /// `a = b`
    public static func == (lhs: CaseExpression, rhs: CaseExpression) -> SQLExpression {
        SQLExpression(.equal(lhs.sqlExpression, rhs.sqlExpression, isNegated: false))
    }
    /// `a <> b`
    public static func != (lhs: CaseExpression, rhs: CaseExpression) -> SQLExpression { (lhs == rhs).negated }
}

extension CaseExpression {
    func map(_ transform: inout some ExpressionTransform) throws -> CaseExpression {
        var result = self
        result.base = try base.map { try transform.expression($0) }
        result.branches = try branches.map {
            Branch(condition: try transform.expression($0.condition), value: try transform.expression($0.value))
        }
        result.fallback = try fallback.map { try transform.expression($0) }
        return result
    }

    var depth: Int32 {
        branches.reduce(max(base?.depth ?? 0, fallback?.depth ?? 0)) { max($0, $1.condition.depth, $1.value.depth) }
    }

    var isSymbolic: Bool {
        base?.isSymbolic ?? false || fallback?.isSymbolic ?? false
            || branches.contains { $0.condition.isSymbolic || $0.value.isSymbolic }
    }

    fileprivate func write(to renderer: inout Renderer) {
        renderer.write("CASE")
        if let base {
            renderer.write(" ")
            renderer.write(operand: base)
        }
        for branch in branches {
            renderer.write(" WHEN ")
            renderer.write(branch.condition)
            renderer.write(" THEN ")
            renderer.write(branch.value)
        }
        if let fallback {
            renderer.write(" ELSE ")
            renderer.write(fallback)
        }
        renderer.write(" END")
    }
}

extension Renderer {
    mutating func write(_ conditional: CaseExpression) { conditional.write(to: &self) }
}
