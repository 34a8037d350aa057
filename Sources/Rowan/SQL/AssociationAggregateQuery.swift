// The aggregates of associations: values that are computed over the associated rows of a row, each by itself. Two of
// them in one request never multiply each other's rows.

/// A value that is computed over the associated rows of a row.
package struct AssociatedValue: Hashable, Sendable {
    package enum Function: Hashable, Sendable {
        case count
        case isEmpty
        /// An aggregate function, of an expression on the associated row.
        case call(String, SQLExpression)
    }

    package var path: AssociationPath
    package var function: Function

    package init(path: AssociationPath, function: Function) {
        self.path = path
        self.function = function
    }
}

/// Aggregates over the rows of one path, grouped by their origin in a derived table.
final class DerivedAggregates {
    let path: AssociationPath
    private let inverse: InverseRelation
    private let alias: TableAliasID
    private let key: [SQLExpression]
    private let rowKey: [SQLExpression]
    private(set) var functions: [AssociatedValue.Function] = []

    init(path: AssociationPath, inverse: InverseRelation, rowKey: [String], alias: TableAliasID) {
        self.path = path
        self.inverse = inverse
        self.alias = alias
        let table: TableReference = inverse.isDirect(path) ? .current : .alias(inverse.alias)
        key = inverse.columns.map { Resolver.column($0.destination, table) }
        self.rowKey = rowKey.map { Resolver.column($0) }
    }

    /// The value of a function, as a column of the derived table.
    func value(of function: AssociatedValue.Function) -> SQLExpression {
        let stored: AssociatedValue.Function = function == .isEmpty ? .count : function
        let index = functions.firstIndex(of: stored) ?? functions.count
        if index == functions.count { functions.append(stored) }
        let column = Resolver.column("value\(index)", .alias(alias))
        func orZero(_ zero: DatabaseValue.Storage) -> SQLExpression {
            SQLExpression(.function(.init("IFNULL", [column, .value(zero)])))
        }
        return switch function {
        case .count: orZero(.int64(0))
        case .isEmpty: SQLExpression(.equal(column, .null, isNegated: false))
        case .call("TOTAL", _): orZero(.double(0))
        case .call: column
        }
    }

    /// `LEFT JOIN (SELECT key, COUNT(*), ... FROM ... GROUP BY key) ON ...`
    var join: Join {
        // The distinct rows of each origin first: a row that several pivots lead to counts once.
        var rows = inverse.relation
        rows.orderings = []
        for index in rows.joins.indices { rows.joins[index].excludeAll() }
        let arguments = functions.enumerated().compactMap { index, function -> (String, SQLExpression)? in
            if case .call(_, let argument) = function { ("argument\(index)", argument) } else { nil }
        }
        let isDirect = inverse.isDirect(path) && rows.joins.isEmpty
        var groups = rows
        if !isDirect {
            rows.selection =
                named("key", key) + named("row", rowKey)
                + arguments.map { .term(SQLSelection(.named($1, $0))) }
            rows.isDistinct = true
            groups = Relation(.subquery(SQLSubquery(.relation(rows)), name: "rows"))
        }
        let groupKey = isDirect ? key : key.indices.map { Resolver.column("key\($0)") }
        groups.selection = named("key", groupKey)
        for (index, function) in functions.enumerated() {
            let value: SQLExpression =
                switch function {
                case .count, .isEmpty: SQLExpression(.function(.init("COUNT", [], isStar: true)))
                case .call(let name, let argument):
                    SQLExpression(
                        .function(.init(name, [isDirect ? argument : Resolver.column("argument\(index)")])))
                }
            groups.selection.append(.term(SQLSelection(.named(value, "value\(index)"))))
        }
        groups.groups = groupKey.map { .term($0) }
        var derived = Relation(.subquery(SQLSubquery(.relation(groups)), name: path.last.key.many))
        derived.aliases = [alias]
        let pairs = inverse.columns.enumerated().map { ColumnPair(origin: $1.origin, destination: "key\($0)") }
        var join = Join(
            .left, AssociationStep(key: .fixed(path.last.key.many), condition: .columns(pairs), relation: derived),
            isIncluded: false)
        join.isDerived = true
        return join
    }

    private func named(_ name: String, _ expressions: [SQLExpression]) -> [Clause<SQLSelection>] {
        expressions.enumerated().map { .term(SQLSelection(.named($1, "\(name)\($0)"))) }
    }
}
