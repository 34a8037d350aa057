// The positions of joined columns in a row: annotations first, then scopes, from left to right. Only this file decides
// them: the renderer writes the columns in this order, and the row shape counts them in it. If two tables in
// parentheses have columns with the same name, SQLite renames them (`id:1`): such columns have explicit names.

extension Resolver {
    /// Numbers the joined sources and places their columns and orderings in a query.
    func place(_ joins: [ResolvedJoin], in select: inout Select) throws {
        guard !joins.isEmpty else { return }
        var (joins, count) = (joins, 0)
        for index in joins.indices { joins[index].assignNumbers(&count) }
        var placement = Placement(
            resolver: self, commonTables: select.commonTables, namesColumns: joins.contains(where: \.hasGroup))
        try placement.addAnnotations(of: joins, scope: [], isGrouped: false)
        try placement.addScopes(of: joins, scope: [], isGrouped: false)
        placement.addOrderings(of: joins)
        // Columns of aliases may belong to a table in parentheses.
        if placement.namesColumns { select.selection = select.selection.map { $0.named(isGrouped: false) } }
        select.joinedColumns = placement.columns
        select.joinedOrderings = placement.orderings
        select.joins = joins.map(\.table)
    }
}

private struct Placement {
    let resolver: Resolver
    let commonTables: [CommonTable]
    /// Whether any source is in parentheses.
    let namesColumns: Bool
    private(set) var columns: [Select.Columns] = []
    private(set) var orderings: [Select.Orderings] = []

    init(resolver: Resolver, commonTables: [CommonTable], namesColumns: Bool) {
        self.resolver = resolver
        self.commonTables = commonTables
        self.namesColumns = namesColumns
    }

    /// Adds the columns that joins contribute to the row of their origin.
    mutating func addAnnotations(of joins: [ResolvedJoin], scope: [String], isGrouped: Bool) throws {
        for join in joins {
            let isGrouped = isGrouped || join.isGroup
            if !join.annotation.isEmpty { try add(join.annotation, of: join, scope, isGrouped) }
            if !join.isIncluded { try addAnnotations(of: join.joins, scope: scope, isGrouped: isGrouped) }
        }
    }

    /// Adds the rows of included joins, each followed by its own scopes.
    mutating func addScopes(of joins: [ResolvedJoin], scope: [String], isGrouped: Bool) throws {
        for join in joins {
            let isGrouped = isGrouped || join.isGroup
            let scope = scope + [join.name]
            if join.isIncluded {
                try add(join.selection, of: join, scope, isGrouped)
                try addAnnotations(of: join.joins, scope: scope, isGrouped: isGrouped)
            }
            try addScopes(of: join.joins, scope: scope, isGrouped: isGrouped)
        }
    }

    mutating func addOrderings(of joins: [ResolvedJoin]) {
        for join in joins {
            if !join.orderings.isEmpty { orderings.append(.init(source: join.number, terms: join.orderings)) }
            addOrderings(of: join.joins)
        }
    }

    private mutating func add(
        _ selection: [SQLSelection], of join: ResolvedJoin, _ scope: [String], _ isGrouped: Bool
    ) throws {
        columns.append(
            .init(source: join.number, scope: scope, selection: try named(selection, join.source, isGrouped)))
    }

    private func named(
        _ selection: [SQLSelection], _ source: Source, _ isGrouped: Bool
    ) throws -> [SQLSelection] {
        guard namesColumns else { return selection }
        return try selection.flatMap { selection -> [SQLSelection] in
            guard isGrouped, selection.isAllColumns else { return [selection.named(isGrouped: isGrouped)] }
            return try resolver.columnNames(of: source, commonTables: commonTables)
                .map { SQLSelection(.named(Resolver.column($0), $0)) }
        }
    }
}

extension ResolvedJoin {
    fileprivate mutating func assignNumbers(_ last: inout Int) {
        last += 1
        number = last
        for index in joins.indices { joins[index].assignNumbers(&last) }
    }

    // These two are recursive: inlined into themselves, they have 20 kB.

    @inline(never)
    fileprivate var table: Select.JoinedTable {
        .init(
            kind: kind, condition: condition, filters: filters, source: source, aliases: aliases,
            joins: joins.map(\.table))
    }

    @inline(never)
    fileprivate var hasGroup: Bool { isGroup || joins.contains(where: \.hasGroup) }

    /// Whether the source and its required joins are written in parentheses.
    fileprivate var isGroup: Bool { kind != .inner && requiresJoins }
    private var requiresJoins: Bool { joins.contains { $0.kind == .inner || $0.requiresJoins } }
}

extension SQLSelection {
    /// The selection, explicitly named if it is a column that SQLite may rename.
    fileprivate func named(isGrouped: Bool) -> SQLSelection {
        guard case .expression(let expression) = node, case .column(let name, let table) = expression.node,
            isGrouped || table != .current
        else { return self }
        return SQLSelection(.named(expression, name))
    }
}
