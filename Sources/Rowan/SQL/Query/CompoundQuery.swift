// Queries combined with UNION, UNION ALL, INTERSECT or EXCEPT.
// Source: https://sqlite.org/lang_select.html#compound

/// Several queries combined into one.
package struct CompoundQuery: Hashable, Sendable {
    package enum Operator: String, Hashable, Sendable {
        case union = "UNION"
        case unionAll = "UNION ALL"
        case intersect = "INTERSECT"
        case except = "EXCEPT"
    }

    package struct Member: Hashable, Sendable {
        package var op: Operator
        package var query: SQLSubquery

        package init(_ op: Operator, _ query: SQLSubquery) {
            self.op = op
            self.query = query
        }
    }

    package var first: SQLSubquery
    package var others: [Member]
    package var orderings: [SQLOrdering] = []
    package var limit: Relation.Limit?

    package init(_ first: SQLSubquery, _ others: [Member]) {
        self.first = first
        self.others = others
    }

    var isSymbolic: Bool {
        first.isSymbolic || others.contains { $0.query.isSymbolic } || orderings.contains(where: \.isSymbolic)
    }
}
