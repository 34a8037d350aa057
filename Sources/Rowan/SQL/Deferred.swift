// Terms that wait for a connection: symbols that the resolver replaces with any number of terms.

/// Terms that are known when a connection is. Two promises are equal when they are the same one.
package final class Deferred<Term: Sendable>: Hashable, Sendable {
    package let terms: @Sendable (any SchemaReader) throws -> [Term]
    /// Whether the terms, as filters, leave one row at most.
    let leavesOneRow: Bool

    package init(leavesOneRow: Bool = false, _ terms: @escaping @Sendable (any SchemaReader) throws -> [Term]) {
        self.terms = terms
        self.leavesOneRow = leavesOneRow
    }

    package static func == (lhs: Deferred, rhs: Deferred) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A term that may wait for a connection.
package protocol DeferrableTerm: Sendable {
    static func deferred(_ terms: Deferred<Self>) -> Self
}

extension SQLExpression: DeferrableTerm {
    package static func deferred(_ terms: Deferred<SQLExpression>) -> SQLExpression {
        SQLExpression(.symbol(.deferred(terms)))
    }
}

extension SQLSelection: DeferrableTerm {
    package static func deferred(_ terms: Deferred<SQLSelection>) -> SQLSelection {
        SQLSelection(.symbol(.deferred(terms)))
    }
}

extension SQLOrdering: DeferrableTerm {
    package static func deferred(_ terms: Deferred<SQLOrdering>) -> SQLOrdering {
        SQLOrdering(.symbol(.deferred(terms)))
    }
}
