// The terms of ORDER BY.

/// A term of an ORDER BY clause: `score DESC NULLS LAST`.
///
/// Source: <https://sqlite.org/lang_select.html#orderby>
public struct SQLOrdering: Hashable, Sendable, SQLOrderingTerm {
    package let node: Node

    package init(_ node: Node) { self.node = node }

    /// The ordering itself.
    public var sqlOrdering: SQLOrdering { self }

    package enum Direction: String, Hashable, Sendable {
        /// No explicit direction, which means ascending.
        case none = ""
        case ascending = " ASC"
        case descending = " DESC"
        case ascendingNullsLast = " ASC NULLS LAST"
        case descendingNullsFirst = " DESC NULLS FIRST"

        var reversed: Direction {
            switch self {
            case .none, .ascending: .descending
            case .descending: .ascending
            case .ascendingNullsLast: .descendingNullsFirst
            case .descendingNullsFirst: .ascendingNullsLast
            }
        }
    }

    package enum Node: Hashable, Sendable {
        case expression(SQLExpression, Direction)
        /// SQL text, which can't be reversed.
        case literal(SQL)
        /// A placeholder for terms that only the resolver can determine. A `Select` contains none.
        case symbol(Symbol)
    }

    /// The placeholders of orderings.
    package enum Symbol: Hashable, Sendable {
        /// The columns of the primary key of the current table.
        case primaryKey(Direction)
        /// Terms that are determined once a connection is available.
        case deferred(Deferred<SQLOrdering>)
    }

    /// The reverse ordering. A reversed literal is rejected by the resolver.
    package var reversed: SQLOrdering {
        switch node {
        case .expression(let expression, let direction): SQLOrdering(.expression(expression, direction.reversed))
        case .literal: SQLOrdering(.symbol(.deferred(Deferred { _ in throw RequestError.literalOrder })))
        case .symbol(.primaryKey(let direction)): SQLOrdering(.symbol(.primaryKey(direction.reversed)))
        case .symbol(.deferred(let deferred)):
            SQLOrdering(
                .symbol(
                    .deferred(
                        Deferred { db in
                            let terms = try deferred.terms(db)
                            if terms.contains(where: \.isLiteral) { throw RequestError.literalOrder }
                            return terms.map(\.reversed)
                        })))
        }
    }

    var isLiteral: Bool {
        if case .literal = node { true } else { false }
    }

    var isSymbolic: Bool {
        switch node {
        case .expression(let expression, _): expression.isSymbolic
        case .literal(let literal): literal.isSymbolic
        case .symbol: true
        }
    }
}

extension SQLSpecificExpressible {
    /// `score ASC`
    public var asc: SQLOrdering { SQLOrdering(.expression(sqlExpression, .ascending)) }
    /// `score DESC`
    public var desc: SQLOrdering { SQLOrdering(.expression(sqlExpression, .descending)) }
    /// `score ASC NULLS LAST`
    public var ascNullsLast: SQLOrdering { SQLOrdering(.expression(sqlExpression, .ascendingNullsLast)) }
    /// `score DESC NULLS FIRST`
    public var descNullsFirst: SQLOrdering { SQLOrdering(.expression(sqlExpression, .descendingNullsFirst)) }
}
