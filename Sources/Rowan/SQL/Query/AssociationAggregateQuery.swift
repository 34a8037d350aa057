// The aggregates of associations: values computed over the associated rows of a row. Each has its own query, so two
// aggregates in one request never multiply each other's rows.

/// A value computed over the associated rows of a row.
package struct AssociatedValue: Hashable, Sendable {
    package enum Function: Hashable, Sendable {
        case count
        case isEmpty
        /// An aggregate function of an expression on the associated row.
        case call(SQLExpression.AggregateFunction, SQLExpression)
    }

    package var path: AssociationPath
    package var function: Function

    package init(path: AssociationPath, function: Function) {
        self.path = path
        self.function = function
    }
}

/// Aggregates over the rows of one path. A derived table groups the rows by their origin.
struct DerivedAggregates {
    let path: AssociationPath
    private let inverse: InverseRelation
    private let key: [SQLExpression]
    private let rowKey: [SQLExpression]
    /// Whether the query contains a row exactly once for each of its origins.
    private let isLinkedOnce: Bool
    private(set) var functions: [AssociatedValue.Function] = []

    init(path: AssociationPath, inverse: InverseRelation, rowKey: [String], isLinkedOnce: Bool) {
        self.path = path
        self.inverse = inverse
        self.isLinkedOnce = isLinkedOnce
        alias = .given()
        let table: TableReference = inverse.isDirect(path) ? .current : .alias(inverse.alias)
        key = inverse.columns.map { Resolver.column($0.destination, table) }
        self.rowKey = rowKey.map { Resolver.column($0) }
    }

    /// The value of a function, as a column of the derived table.
    mutating func value(of function: AssociatedValue.Function) -> SQLExpression {
        let stored: AssociatedValue.Function = function == .isEmpty ? .count : function
        let index = functions.firstIndex(of: stored) ?? functions.count
        if index == functions.count { functions.append(stored) }
        let column = Resolver.column("value\(index)", .alias(alias))
        func orZero(_ zero: DatabaseValue.Storage) -> SQLExpression {
            SQLExpression(.function(.init("IFNULL", [column, .value(zero)], result: .firstArgument)))
        }
        return switch function {
        case .count: orZero(.int64(0))
        case .isEmpty: SQLExpression(.equal(column, .null, isNegated: false))
        case .call(.total, _): orZero(.double(0))
        // The collation of an argument would carry over to the column, but that of a subquery's value does not.
        case .call(_, let argument):
            argument.contains(SQLExpression.findCollation)
                ? SQLExpression(.function(.init("IFNULL", [column, .null], result: .firstArgument))) : column
        }
    }

    /// `SELECT key, COUNT(*), ... FROM ... GROUP BY key`
    var query: Relation {
        var rows = inverse.relation
        rows.orderings = []
        for index in rows.joins.indices { rows.joins[index].excludeAll() }
        let arguments = functions.enumerated().compactMap { index, function -> (String, SQLExpression)? in
            if case .call(_, let argument) = function { ("argument\(index)", argument) } else { nil }
        }
        let isDirect = inverse.isDirect(path) ? rows.joins.isEmpty : isLinkedOnce
        var groups = rows
        if !isDirect {
            // The distinct rows of each origin are selected first, so a row counts once, even if several pivots lead to
            // it.
            rows.selection =
                named("key", key) + named("row", rowKey)
                + arguments.map { SQLSelection(.named($1, $0)) }
            rows.isDistinct = true
            groups = Relation(.subquery(SQLSubquery(.relation(rows)), name: "rows"))
        }
        let groupKey = isDirect ? key : key.indices.map { Resolver.column("key\($0)") }
        groups.selection = named("key", groupKey)
        for (index, function) in functions.enumerated() {
            let value: SQLExpression =
                switch function {
                case .count, .isEmpty: SQLExpression(.function(.countOfRows))
                case .call(let function, let argument):
                    SQLExpression(
                        .function(.init(function, isDirect ? argument : Resolver.column("argument\(index)"))))
                }
            groups.selection.append(SQLSelection(.named(value, "value\(index)")))
        }
        groups.groups = groupKey
        return groups
    }

    /// The query as a source of a FROM clause.
    var source: Source { .subquery(SQLSubquery(.relation(query)), name: path.last.key.many) }

    /// The alias of the source.
    let alias: TableAliasID

    /// The columns that link the source to its origin.
    var columns: [ColumnPair] {
        inverse.columns.enumerated().map { ColumnPair(origin: $1.origin, destination: "key\($0)") }
    }

    private func named(_ name: String, _ expressions: [SQLExpression]) -> [SQLSelection] {
        expressions.enumerated().map { SQLSelection(.named($1, "\(name)\($0)")) }
    }
}
