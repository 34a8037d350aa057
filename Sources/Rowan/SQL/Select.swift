// What leaves the resolver, and all that the renderer takes: a query in the terms of SQL. Joins are columns or
// expressions, columns stand in the order of the text, and each clause belongs to one source.

/// A query that no schema needs to explain.
package struct Select: Hashable, Sendable {
    package var commonTables: [CommonTable] = []
    package var isDistinct = false
    /// What is selected of the first source: all of its columns if there is none.
    package var selection: [SQLSelection] = []
    /// What is selected of the joined sources, behind the selection.
    package var joinedColumns: [Columns] = []
    /// Columns that come after all others, and that no row shows: the keys of prefetched rows, of pages.
    package var hiddenSelection: [SQLSelection] = []
    package var from: Table
    package var filters: [SQLExpression] = []
    package var groups: [SQLExpression] = []
    package var havings: [SQLExpression] = []
    package var windows: [WindowDefinition] = []
    package var orderings: [SQLOrdering] = []
    /// The order of the joined sources, which comes second.
    package var joinedOrderings: [Orderings] = []
    package var limit: Relation.Limit?

    /// A source, with those that are joined to it. Sources are numbered from 0 in the order of the text.
    package struct Table: Hashable, Sendable {
        package var source: Source
        /// What stands for the source. The first that has a name gives it to the source.
        package var aliases: [TableAliasID]
        package var joins: [JoinedTable] = []
    }

    /// A source that is joined to another.
    package struct JoinedTable: Hashable, Sendable {
        package var kind: Join.Kind
        package var condition: ResolvedCondition
        package var filters: [SQLExpression]
        package var table: Table
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

    init(from table: Table) { from = table }

    /// The query of a relation without symbols, as it is; nil if the relation needs the resolver.
    package init?(_ relation: Relation) {
        guard !relation.isSymbolic else { return nil }
        from = Table(source: relation.source, aliases: relation.aliases)
        commonTables = relation.commonTables
        isDistinct = relation.isDistinct
        selection = relation.selection
        hiddenSelection = relation.hiddenSelection
        filters = relation.filters
        groups = relation.groups
        havings = relation.havings
        windows = relation.windows
        orderings = relation.isReversed ? relation.orderings.map(\.reversed) : relation.orderings
        limit = relation.limit
    }

    /// Whether the query has an order.
    var isOrdered: Bool { !orderings.isEmpty || !joinedOrderings.isEmpty }

    /// Whether the query gives all the rows of a table.
    package var isWholeTable: Bool {
        guard case .table = from.source else { return false }
        return filters.isEmpty && limit == nil && groups.isEmpty && havings.isEmpty && commonTables.isEmpty
            && from.joins.allSatisfy { $0.kind == .left }
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
    var isGroup: Bool { kind != .inner && table.requiresJoins }
}

extension Select.Table {
    /// Whether a row of the source needs a row of another.
    fileprivate var requiresJoins: Bool { joins.contains { $0.kind == .inner || $0.table.requiresJoins } }

    /// The source and the joined ones, by their number.
    var sources: [Source] { [source] + joins.flatMap(\.table.sources) }
}
