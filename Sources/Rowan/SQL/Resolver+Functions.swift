// What the resolver does with the parts of function calls: orderings, and what only some versions of SQLite know.

/// Knows which SQLite runs.
package protocol SQLiteVersionReader {
    /// Throws if the SQLite that runs is older than a version, such as 3_044_000.
    func requireSQLite(_ version: Int, for feature: String) throws
}

extension Resolver {
    package func orderings(_ ordering: SQLOrdering) throws -> [SQLOrdering] { try resolve(ordering) }

    package func check(_ call: SQLExpression.FunctionCall) throws {
        guard !call.orderings.isEmpty, let reader = schema as? any SQLiteVersionReader else { return }
        try reader.requireSQLite(3_044_000, for: "ORDER BY in the call of an aggregate function (\(call.name))")
    }
}
