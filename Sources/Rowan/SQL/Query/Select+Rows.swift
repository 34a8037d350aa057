// The rows that a query's conditions identify by rowid: observations then ignore changes of other rows.

extension Select {
    /// Whether the query reads its source once and nothing else: no joins, no subqueries, no SQL text.
    package var readsOnlySource: Bool {
        guard case .table = source, joins.isEmpty, commonTables.isEmpty, windows.isEmpty, havings.isEmpty else {
            return false
        }
        return (selection + hiddenSelection).allSatisfy(\.readsOnlySource) && groups.allSatisfy(\.readsOnlySource)
            && filters.allSatisfy(\.readsOnlySource) && orderings.allSatisfy(\.readsOnlySource)
    }

    /// The rowids that the filters select, or nil if they may select any.
    ///
    /// - Parameter names: the names of the rowid.
    package func rowIDs(named names: [String]) -> Set<Int64>? { RowIDSearch(names: names).intersection(filters) }
}

private struct RowIDSearch {
    let names: [String]

    /// The rowids that satisfy all conditions.
    func intersection(_ conditions: [SQLExpression]) -> Set<Int64>? {
        conditions.reduce(nil) { known, condition in
            guard let rowIDs = rowIDs(condition) else { return known }
            return known?.intersection(rowIDs) ?? rowIDs
        }
    }

    /// The rowids that may satisfy a condition, or nil for any.
    private func rowIDs(_ condition: SQLExpression) -> Set<Int64>? {
        switch condition.node {
        case .value(let value):
            // The condition of a request that selects no rows.
            if case .int64(0) = value.storage { [] } else { nil }
        case .equal(let a, let b, isNegated: false):
            if isRowID(a) { rowIDs(of: b) } else if isRowID(b) { rowIDs(of: a) } else { nil }
        case .isIn(let a, let container, isNegated: false) where isRowID(a): rowIDs(in: container)
        case .associative(let operation, let operands):
            switch operation.sql {
            case "AND": intersection(operands.all)
            case "OR": union(operands.all)
            default: nil
            }
        default: nil
        }
    }

    private func union(_ conditions: [SQLExpression]) -> Set<Int64>? {
        var union: Set<Int64> = []
        for condition in conditions {
            guard let rowIDs = rowIDs(condition) else { return nil }
            union.formUnion(rowIDs)
        }
        return union
    }

    private func isRowID(_ expression: SQLExpression) -> Bool {
        guard case .column(let name, _) = expression.node else { return false }
        return names.contains { $0.isSameDatabaseName(as: name) }
    }

    private func rowIDs(of expression: SQLExpression) -> Set<Int64>? {
        guard case .value(let value) = expression.node else { return nil }
        return rowIDs(of: [value])
    }

    private func rowIDs(of values: [DatabaseValue]) -> Set<Int64>? {
        var rowIDs: Set<Int64> = []
        for value in values {
            switch value.storage {
            case .null: continue
            case .int64(let rowID): rowIDs.insert(rowID)
            // SQLite may convert these values to a rowid.
            case .double, .string, .blob: return nil
            }
        }
        return rowIDs
    }

    private func rowIDs(in container: SQLExpression.Container) -> Set<Int64>? {
        switch container {
        case .expressions(let expressions): union(expressions) { rowIDs(of: $0) }
        case .values(let rows, types: []): rows.allSatisfy { $0.count == 1 } ? rowIDs(of: rows.map { $0[0] }) : nil
        case .subquery, .table, .rows, .values: nil
        }
    }

    private func union(
        _ expressions: [SQLExpression], _ rowIDs: (SQLExpression) -> Set<Int64>?
    ) -> Set<Int64>? {
        expressions.reduce([]) { known, expression in known.flatMap { known in rowIDs(expression).map(known.union) } }
    }
}

extension SQLExpression {
    /// Whether the expression reads only the columns of its sources.
    fileprivate var readsOnlySource: Bool {
        !contains { expression in
            switch expression.node {
            case .subquery, .exists, .literal, .windowed: .found
            case .isIn(_, .subquery, _), .isIn(_, .table, _): .found
            default: .goOn
            }
        }
    }
}

extension SQLSelection {
    fileprivate var readsOnlySource: Bool {
        switch node {
        case .expression(let expression), .named(let expression, _): expression.readsOnlySource
        case .allColumns: true
        case .literal, .symbol: false
        }
    }
}

extension SQLOrdering {
    fileprivate var readsOnlySource: Bool {
        switch node {
        case .expression(let expression, _): expression.readsOnlySource
        default: false
        }
    }
}
