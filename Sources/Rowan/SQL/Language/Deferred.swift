// Terms that need a connection: symbols that the resolver replaces with any number of terms.

/// Terms that are determined once a connection is available. Equality is identity.
package final class Deferred<Term: Sendable>: Hashable, Sendable {
    package let terms: @Sendable (any SchemaReader) throws -> [Term]
    /// Whether these terms, as filters, select at most one row.
    let leavesOneRow: Bool

    package init(leavesOneRow: Bool = false, _ terms: @escaping @Sendable (any SchemaReader) throws -> [Term]) {
        self.terms = terms
        self.leavesOneRow = leavesOneRow
    }

    package static func == (lhs: Deferred, rhs: Deferred) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A term that may need a connection.
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
