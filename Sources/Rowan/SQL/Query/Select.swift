// The output of the resolver, and the only input of the renderer: a query in terms of SQL. Join conditions are columns
// or expressions, columns are in textual order, and each clause belongs to one source.

/// A query that is independent of the schema.
package struct Select: Hashable, Sendable {
    /// The first source.
    package var source: Source
    package var isDistinct = false
    /// The columns of the first source.
    package var selection: [SQLSelection] = []
    package var filters: [SQLExpression] = []
    package var orderings: [SQLOrdering] = []
    package var limit: Relation.Limit?
    private var rare = Rare<Parts>()

    /// The aliases of the first source. The first alias with a name names the source.
    package var aliases: [TableAliasID] {
        get { rare.box?.parts.aliases ?? [] }
        set { rare.parts.aliases = newValue }
    }
    package var commonTables: [CommonTable] {
        get { rare.box?.parts.commonTables ?? [] }
        set { rare.parts.commonTables = newValue }
    }
    package var joins: [JoinedTable] {
        get { rare.box?.parts.joins ?? [] }
        set { rare.parts.joins = newValue }
    }
    /// The columns of the joined sources, after the selection.
    package var joinedColumns: [Columns] {
        get { rare.box?.parts.joinedColumns ?? [] }
        set { rare.parts.joinedColumns = newValue }
    }
    /// Columns that follow all others and are hidden in rows: the keys of prefetched rows and of pages.
    package var hiddenSelection: [SQLSelection] {
        get { rare.box?.parts.hiddenSelection ?? [] }
        set { rare.parts.hiddenSelection = newValue }
    }
    package var groups: [SQLExpression] {
        get { rare.box?.parts.groups ?? [] }
        set { rare.parts.groups = newValue }
    }
    package var havings: [SQLExpression] {
        get { rare.box?.parts.havings ?? [] }
        set { rare.parts.havings = newValue }
    }
    package var windows: [WindowDefinition] {
        get { rare.box?.parts.windows ?? [] }
        set { rare.parts.windows = newValue }
    }
    /// The orderings of the joined sources, after those of the first source.
    package var joinedOrderings: [Orderings] {
        get { rare.box?.parts.joinedOrderings ?? [] }
        set { rare.parts.joinedOrderings = newValue }
    }

    /// Whether the query has more than one source with its selection, filters, order and limit.
    var hasRareParts: Bool { rare.box != nil }

    private struct Parts: RareParts {
        var aliases: [TableAliasID] = []
        var commonTables: [CommonTable] = []
        var joins: [JoinedTable] = []
        var joinedColumns: [Columns] = []
        var hiddenSelection: [SQLSelection] = []
        var groups: [SQLExpression] = []
        var havings: [SQLExpression] = []
        var windows: [WindowDefinition] = []
        var joinedOrderings: [Orderings] = []
    }

    /// A source that is joined to another, with the sources that are joined to it. The sources of a query are numbered
    /// from 0, in textual order.
    package struct JoinedTable: Hashable, Sendable {
        package var kind: Join.Kind
        package var condition: ResolvedCondition
        package var filters: [SQLExpression] = []
        package var source: Source
        /// The aliases of the source, as for the first source.
        package var aliases: [TableAliasID]
        package var joins: [JoinedTable] = []
    }

    /// Columns of one source, in one scope of the row.
    package struct Columns: Hashable, Sendable {
        package var source: Int
        /// The scopes that lead to the columns; empty for the columns of the row itself.
        package var scope: [String]
        package var selection: [SQLSelection]
    }

    /// ORDER BY terms whose unqualified columns belong to one source.
    package struct Orderings: Hashable, Sendable {
        package var source: Int
        package var terms: [SQLOrdering]
    }

    init(_ source: Source) { self.source = source }

    /// Creates the query of a relation without symbols; returns nil if the relation needs the resolver.
    package init?(_ relation: borrowing Relation) {
        guard !relation.isSymbolic else { return nil }
        source = relation.source
        isDistinct = relation.isDistinct
        selection = relation.selection.isEmpty ? SQLSelection.all : relation.selection
        filters = relation.filters
        orderings = relation.isReversed ? relation.orderings.map(\.reversed) : relation.orderings
        limit = relation.limit
        guard relation.hasRareParts else { return }
        aliases = relation.aliases
        commonTables = relation.commonTables
        hiddenSelection = relation.hiddenSelection
        groups = relation.groups
        havings = relation.havings
        windows = relation.windows
    }

    /// Adds a column if there is none, because SQL requires at least one column.
    mutating func selectSomething() {
        guard selection.isEmpty, hiddenSelection.isEmpty, joinedColumns.allSatisfy(\.selection.isEmpty) else { return }
        hiddenSelection = [SQLSelection(.expression(.null))]
    }

    /// Whether the query has an order.
    var isOrdered: Bool { !orderings.isEmpty || !joinedOrderings.isEmpty }

    /// Whether the query returns all rows of a table.
    package var isWholeTable: Bool {
        guard case .table = source else { return false }
        return filters.isEmpty && limit == nil && groups.isEmpty && havings.isEmpty && commonTables.isEmpty
            && joins.allSatisfy { $0.kind == .left }
    }
}

/// The condition that links the rows of two sources, in terms of SQL.
package enum ResolvedCondition: Hashable, Sendable {
    /// No condition: all pairs of rows.
    case always
    /// Equal columns.
    case columns([ColumnPair])
    /// An expression, in which the two aliases refer to the two sources.
    case expression(SQLExpression, origin: TableAliasID, destination: TableAliasID)

    /// The condition as seen from the destination.
    var reversed: ResolvedCondition {
        switch self {
        case .always: .always
        case .columns(let pairs):
            .columns(pairs.map(\.reversed))
        case .expression(let expression, let origin, let destination):
            .expression(expression, origin: destination, destination: origin)
        }
    }
}

extension JoinCondition {
    /// Creates a condition of another relation from a resolved condition.
    init(_ condition: ResolvedCondition) {
        switch condition {
        case .always: self = .always
        case .columns(let pairs): self = .columns(pairs)
        case .expression(let expression, let origin, let destination):
            self = .expression(expression, origin: origin, destination: destination)
        }
    }
}

extension Select.JoinedTable {
    /// Whether the joined source and its required joins are written in parentheses.
    var isGroup: Bool { kind != .inner && requiresJoins }

    /// Whether a row of the source requires a row of another source.
    private var requiresJoins: Bool { joins.contains { $0.kind == .inner || $0.requiresJoins } }
}

extension Select {
    /// The sources, by number.
    var sources: [Source] {
        var sources = [source]
        func add(_ joins: [JoinedTable]) {
            for join in joins {
                sources.append(join.source)
                add(join.joins)
            }
        }
        add(joins)
        return sources
    }
}
