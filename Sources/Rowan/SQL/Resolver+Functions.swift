// What the resolver does with the parts of function calls: orderings, and what only some versions of SQLite know.

extension Resolver {
    package func orderings(_ ordering: SQLOrdering) throws -> [SQLOrdering] { try resolve(ordering) }

    package func check(_ call: SQLExpression.FunctionCall) throws {
        guard !call.orderings.isEmpty else { return }
        try schema.requireSQLite(3_044_000, for: "ORDER BY in the call of an aggregate function (\(call.name))")
    }
}
