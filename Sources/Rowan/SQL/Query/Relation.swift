// A query as a value, as described by the user. It may contain symbols that depend on the schema: the primary key, all
// columns with exceptions, terms that need a connection. The resolver turns it into a `Select`, which the renderer
// writes.

/// A subquery: a request, or SQL text.
///
/// Article: <doc:SubqueriesAndCommonTables>.
public struct SQLSubquery: Hashable, Sendable, SQLSubqueryable {
    package indirect enum Content: Hashable, Sendable {
        case literal(SQL)
        /// The query as described by the user.
        case relation(Relation)
        /// The resolved query.
        case select(Select)
        case compound(CompoundQuery)

        // A derived `==` is inlined into those of all types and arrays that contain a subquery (1 % of the library's
        // code).
        @inline(never)
        package static func == (lhs: Content, rhs: Content) -> Bool {
            switch (lhs, rhs) {
            case (.literal(let lhs), .literal(let rhs)): lhs == rhs
            case (.relation(let lhs), .relation(let rhs)): lhs == rhs
            case (.select(let lhs), .select(let rhs)): lhs == rhs
            case (.compound(let lhs), .compound(let rhs)): lhs == rhs
            case (.literal, _), (.relation, _), (.select, _), (.compound, _): false
            }
        }
    }

    package let content: Content

    /// The nesting depth of operations and queries: see SQLExpression+Depth.
    let depth: Int32

    package init(_ content: Content) {
        depth = content.depth
        let isTooDeep = depth > SQLExpression.maximumDepth
        self.content = isTooDeep ? .literal(SQL(segments: [.expression(.tooDeep(depth))])) : content
    }

    /// The subquery itself.
    public var sqlSubquery: SQLSubquery { self }

    @inline(never)  // It is part of itself, and of most other conditions of this name.
    var isSymbolic: Bool {
        switch content {
        case .literal(let literal): literal.isSymbolic
        case .relation(let relation): relation.isSymbolic
        case .select: false
        case .compound(let compound): compound.isSymbolic
        }
    }
}

/// A table of a WITH clause.
package struct CommonTable: Hashable, Sendable {
    package var name: String
    package var columns: [String]?
    package var isRecursive: Bool
    package var query: SQLSubquery

    package init(name: String, columns: [String]?, isRecursive: Bool, query: SQLSubquery) {
        self.name = name
        self.columns = columns
        self.isRecursive = isRecursive
        self.query = query
    }
}

extension [CommonTable] {
    /// Adds a table, or replaces the table with the same name.
    package mutating func add(_ table: CommonTable) {
        if let index = firstIndex(where: { $0.name.isSameDatabaseName(as: table.name) }) {
            self[index] = table
        } else {
            append(table)
        }
    }
}

/// A query: the value behind requests. For internal use: it has no public members.
public struct Relation: Hashable, Sendable {
    package var source: Source
    /// The form in which the record type of the source stores values, if the source has one.
    package var storage: RecordStorage?
    /// The selection; empty for all columns.
    package var selection: [SQLSelection] = []
    package var isDistinct = false
    package var filters: [SQLExpression] = []
    package var orderings: [SQLOrdering] = []
    package var isReversed = false
    /// Whether the primary key breaks ties in the order.
    package var isStablyOrdered = false
    package var groupsByPrimaryKey = false
    /// Whether association aggregates annotate or filter the rows.
    package var hasAggregates = false
    package var limit: Limit?
    private var rare = Rare<Parts>()

    /// The aliases of the source. The first alias with a name names the source.
    package var aliases: [TableAliasID] {
        get { rare.box?.parts.aliases ?? [] }
        set { rare.parts.aliases = newValue }
    }
    package var commonTables: [CommonTable] {
        get { rare.box?.parts.commonTables ?? [] }
        set { rare.parts.commonTables = newValue }
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
    package var joins: [Join] {
        get { rare.box?.parts.joins ?? [] }
        set { rare.parts.joins = newValue }
    }
    package var prefetches: [Prefetch] {
        get { rare.box?.parts.prefetches ?? [] }
        set { rare.parts.prefetches = newValue }
    }
    /// The record whose associated rows are requested, if the request starts from a single record.
    package var link: RecordLink? {
        get { rare.box?.parts.link }
        set { rare.parts.link = newValue }
    }
    /// Columns that follow all others and are hidden in rows: the keys of prefetched rows and of pages.
    package var hiddenSelection: [SQLSelection] {
        get { rare.box?.parts.hiddenSelection ?? [] }
        set { rare.parts.hiddenSelection = newValue }
    }

    private struct Parts: RareParts {
        var aliases: [TableAliasID] = []
        var commonTables: [CommonTable] = []
        var groups: [SQLExpression] = []
        var havings: [SQLExpression] = []
        var windows: [WindowDefinition] = []
        var joins: [Join] = []
        var prefetches: [Prefetch] = []
        var link: RecordLink?
        var hiddenSelection: [SQLSelection] = []
    }

    package struct Limit: Hashable, Sendable {
        package var count: Int
        package var offset: Int?

        package init(count: Int, offset: Int?) {
            self.count = count
            self.offset = offset
        }
    }

    /// The source, with the storage of its record type.
    package var storedSource: StoredSource { StoredSource(source: source, storage: storage) }

    package init(_ source: Source, storage: RecordStorage? = nil, selection: [SQLSelection] = []) {
        self.source = source
        self.storage = storage
        self.selection = selection
    }

    package init(table: String, schema: String? = nil) { source = .table(TableName(table, schema: schema)) }

    /// Adds a condition. Programs may add thousands, one at a time, and keep the previous requests: beyond a threshold,
    /// the last filter becomes a chain that shares its operands with the previous one. The SQL is the same.
    package mutating func addFilter(_ filter: SQLExpression) {
        // A placeholder must remain a separate filter, because it is searched for at the top level.
        guard filters.count >= 64, let last = filters.last, !last.isPlaceholder, !filter.isPlaceholder else {
            return filters.append(filter)
        }
        filters[filters.count - 1] = .associative(.and, last, filter)
    }

    /// Replaces the selection, which includes all columns of joined requests. Associations that the request itself
    /// includes are kept.
    package mutating func select(_ selection: [SQLSelection]) {
        self.selection = selection
        guard hasRareParts else { return }
        for index in joins.indices where joins[index].isRequest { joins[index].excludeAll() }
    }

    /// Orders the rows of the included associations stably, at every depth.
    mutating func orderAssociationsStably() {
        guard hasRareParts else { return }
        for index in joins.indices { joins[index].orderStably() }
        orderPrefetchesStably()
    }

    /// Orders the prefetched rows stably.
    mutating func orderPrefetchesStably() {
        guard hasRareParts else { return }
        for index in prefetches.indices {
            prefetches[index].path.last.relation.isStablyOrdered = true
            prefetches[index].path.last.relation.orderAssociationsStably()
        }
    }

    /// Whether the relation has rarely used parts: aliases, common tables, groups, windows…
    var hasRareParts: Bool { rare.box != nil }

    /// Whether the relation needs the resolver.
    package var isSymbolic: Bool {
        if isStablyOrdered || groupsByPrimaryKey || source.isSymbolic || filters.contains(where: \.isSymbolic)
            || selection.contains(where: \.isSymbolic) || orderings.contains(where: \.isSymbolic)
            || isReversed && orderings.contains(where: \.isLiteral)
        {
            return true
        }
        guard hasRareParts else { return false }
        return !joins.isEmpty || link != nil || groups.contains(where: \.isSymbolic)
            || havings.contains(where: \.isSymbolic) || windows.contains { $0.window.isSymbolic }
            || commonTables.contains { $0.query.isSymbolic }
    }
}

extension SQLExpression {
    fileprivate var isPlaceholder: Bool { if case .symbol = node { true } else { false } }
}
