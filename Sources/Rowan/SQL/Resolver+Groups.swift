// The names of columns of tables that are joined between parentheses. SQLite gives other names (`id:1`) to those that
// two of the tables have: the columns are named one by one.

extension Resolver {
    /// Names the columns that a relation, whose joins are resolved, selects from tables between parentheses.
    func nameGroupedColumns(of relation: inout Relation) throws {
        guard relation.joins.contains(where: \.hasGroup) else { return }
        // Columns of aliases may be those of a table between parentheses.
        relation.selection = relation.selection.map { $0.named(isGrouped: false) }
        for index in relation.joins.indices {
            let isGroup = relation.joins[index].isGroup
            try name(&relation.joins[index], relation.commonTables, isGrouped: isGroup)
        }
    }

    private func name(_ join: inout Join, _ commonTables: [CommonTable], isGrouped: Bool) throws {
        let source = join.step.relation.source
        func named(_ selection: [Clause<SQLSelection>]) throws -> [Clause<SQLSelection>] {
            try selection.flatMap { clause -> [Clause<SQLSelection>] in
                guard isGrouped, case .allColumns(nil) = clause.term?.node else {
                    return [clause.named(isGrouped: isGrouped)]
                }
                return try columnNames(of: source, commonTables: commonTables).map {
                    .term(SQLSelection(.named(Self.column($0), $0)))
                }
            }
        }
        let selection = join.step.relation.selection
        let all = [Clause.term(SQLSelection(.allColumns(table: nil)))]
        if join.isIncluded { join.step.relation.selection = try named(selection.isEmpty ? all : selection) }
        join.annotation = try named(join.annotation)
        for index in join.step.relation.joins.indices {
            let isGroup = isGrouped || join.step.relation.joins[index].isGroup
            try name(&join.step.relation.joins[index], commonTables, isGrouped: isGroup)
        }
    }
}

extension Join {
    /// Whether the joined relation is written between parentheses, with those that it requires.
    var isGroup: Bool { kind != .inner && step.relation.requiresJoins }

    fileprivate var hasGroup: Bool { isGroup || step.relation.joins.contains(where: \.hasGroup) }
}

extension Clause where Term == SQLSelection {
    /// The selection, with a name if it is a column that SQLite may rename.
    fileprivate func named(isGrouped: Bool) -> Self {
        guard case .expression(let expression) = term?.node, case .column(let name, let table) = expression.node,
            isGrouped || table != .current
        else { return self }
        return .term(SQLSelection(.named(expression, name)))
    }
}
