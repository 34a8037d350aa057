// What leaves the resolver, and all that the renderer takes: a query in the terms of SQL. Joins are columns or
// expressions, columns stand in the order of the text, and each clause belongs to one source.

/// A query that no schema needs to explain.
package struct Select: Hashable, Sendable {
    /// The first source.
    package var source: Source
    package var isDistinct = false
    /// What is selected of the first source.
    package var selection: [SQLSelection] = []
    package var filters: [SQLExpression] = []
    package var orderings: [SQLOrdering] = []
    package var limit: Relation.Limit?
    private var rare = Rare<Parts>()

    /// What stands for the first source. The first alias that has a name gives it to the source.
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
    /// What is selected of the joined sources, behind the selection.
    package var joinedColumns: [Columns] {
        get { rare.box?.parts.joinedColumns ?? [] }
        set { rare.parts.joinedColumns = newValue }
    }
    /// Columns that come after all others, and that no row shows: the keys of prefetched rows, of pages.
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
    /// The order of the joined sources, which comes second.
    package var joinedOrderings: [Orderings] {
        get { rare.box?.parts.joinedOrderings ?? [] }
        set { rare.parts.joinedOrderings = newValue }
    }

    /// Whether the query has more than one source, its selection, filters, an order and a limit.
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

    /// A source that is joined to another, with those that are joined to it. The sources of a query are numbered from 0,
    /// in the order of the text.
    package struct JoinedTable: Hashable, Sendable {
        package var kind: Join.Kind
        package var condition: ResolvedCondition
        package var filters: [SQLExpression] = []
        package var source: Source
        /// What stands for the source, as for the first one.
        package var aliases: [TableAliasID]
        package var joins: [JoinedTable] = []
    }

    /// Columns of one source, in one scope of the row.
    package struct Columns: Hashable, Sendable {
        package var source: Int
        /// The scopes that lead to the columns, none for those of the row itself.
        package var scope: [String]
        package var selection: [SQLSelection]
    }

    /// The terms of ORDER BY whose unqualified columns are those of one source.
    package struct Orderings: Hashable, Sendable {
        package var source: Int
        package var terms: [SQLOrdering]
    }

    init(_ source: Source) { self.source = source }

    /// The query of a relation without symbols, as it is; nil if the relation needs the resolver.
    package init?(_ relation: Relation) {
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

    /// SQL has no query without columns.
    mutating func selectSomething() {
        guard selection.isEmpty, hiddenSelection.isEmpty, joinedColumns.allSatisfy(\.selection.isEmpty) else { return }
        hiddenSelection = [SQLSelection(.expression(.null))]
    }

    /// Whether the query has an order.
    var isOrdered: Bool { !orderings.isEmpty || !joinedOrderings.isEmpty }

    /// Whether the query gives all the rows of a table.
    package var isWholeTable: Bool {
        guard case .table = source else { return false }
        return filters.isEmpty && limit == nil && groups.isEmpty && havings.isEmpty && commonTables.isEmpty
            && joins.allSatisfy { $0.kind == .left }
    }
}

/// What links the rows of two sources, in the terms of SQL.
package enum ResolvedCondition: Hashable, Sendable {
    /// Nothing: all pairs of rows.
    case always
    /// Columns that are equal.
    case columns([ColumnPair])
    /// An expression. In it, the two aliases stand for the two sources.
    case expression(SQLExpression, origin: TableAliasID, destination: TableAliasID)

    /// The condition, seen from the destination.
    var reversed: ResolvedCondition {
        switch self {
        case .always: .always
        case .columns(let pairs):
            .columns(pairs.map { ColumnPair(origin: $0.destination, destination: $0.origin) })
        case .expression(let expression, let origin, let destination):
            .expression(expression, origin: destination, destination: origin)
        }
    }
}

extension JoinCondition {
    /// A condition that is resolved, as a part of another relation.
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
    /// Whether the joined source is written between parentheses, with those that it requires.
    var isGroup: Bool { kind != .inner && requiresJoins }

    /// Whether a row of the source needs a row of another.
    private var requiresJoins: Bool { joins.contains { $0.kind == .inner || $0.requiresJoins } }
}

extension Select {
    /// The sources, by their number.
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
