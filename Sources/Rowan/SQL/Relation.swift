// A query as a value: what the user said. The resolver replaces what only the schema can explain (the primary
// key, all columns but some, clauses that wait for a connection); the renderer then writes it, and never fails.

/// A subquery: a request, or SQL text.
public struct SQLSubquery: Hashable, Sendable, SQLSubqueryable {
    package indirect enum Content: Hashable, Sendable {
        case literal(SQL)
        case relation(Relation)
        case compound(CompoundQuery)
    }

    package let content: Content

    /// How many operations and queries are nested: see SQLExpression+Depth.
    let depth: Int32

    package init(_ content: Content) {
        depth = content.depth
        let isTooDeep = depth > SQLExpression.maximumDepth
        self.content = isTooDeep ? .literal(SQL(segments: [.expression(.tooDeep(depth))])) : content
    }

    public var sqlSubquery: SQLSubquery { self }

    var isSymbolic: Bool {
        switch content {
        case .literal(let literal): literal.isSymbolic
        case .relation(let relation): relation.isSymbolic
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
    /// Adds a table, in the place of the one that has its name.
    package mutating func add(_ table: CommonTable) {
        if let index = firstIndex(where: { $0.name.isSameDatabaseName(as: table.name) }) {
            self[index] = table
        } else {
            append(table)
        }
    }
}

/// What a clause is made of: a term, or a promise that the connection keeps.
package enum Clause<Term: Hashable & Sendable>: Hashable, Sendable {
    case term(Term)
    case deferred(Deferred<Term>)

    package var term: Term? {
        if case .term(let term) = self { term } else { nil }
    }
}

/// Terms that are known when a connection is. Two promises are equal when they are the same one.
package final class Deferred<Term: Sendable>: Hashable, Sendable {
    package let terms: @Sendable (any SchemaReader) throws -> [Term]

    package init(_ terms: @escaping @Sendable (any SchemaReader) throws -> [Term]) { self.terms = terms }

    package static func == (lhs: Deferred, rhs: Deferred) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What the resolver asks of a schema.
package protocol SchemaReader {
    /// The columns of the primary key, `rowid` for a table without one.
    func primaryKeyColumns(ofTable table: TableName) throws -> [String]
    /// The columns of the primary key, as above; nil for a view without one, and for what is no table of the schema.
    func keyColumns(ofTable table: TableName) throws -> [String]?
    /// Whether the table has a rowid, hidden or not.
    func hasRowID(_ table: TableName) throws -> Bool
    /// All visible columns of a table or a view.
    func columnNames(ofTable table: TableName) throws -> [String]
    /// The columns that a resolved query selects.
    func columnNames(of relation: Relation) throws -> [String]
    /// The foreign keys from a table to another.
    func foreignKeys(from origin: TableName, to destination: TableName) throws -> [[ColumnPair]]
    /// Whether the rows that have given values in some columns are found without a scan.
    func isIndexed(_ table: TableName, columns: [String]) throws -> Bool
    /// Whether columns can't be NULL, as far as the schema says. What is no table of the schema can be NULL.
    func areNotNull(_ columns: [String], ofTable table: TableName) throws -> Bool
    /// The error for an expression of so many levels.
    func error(forNesting levels: Int) -> any Error
    /// Throws if the SQLite that runs is older than a version, such as 3_044_000.
    func requireSQLite(_ version: Int, for feature: String) throws
}

/// A query: the value behind requests. Its parts are not public.
public struct Relation: Hashable, Sendable {
    package var source: Source
    /// How the record type of the source stores values, if there is one.
    package var storage: RecordStorage?
    /// The selection; empty for all columns.
    package var selection: [Clause<SQLSelection>] = []
    package var isDistinct = false
    package var filters: [Clause<SQLExpression>] = []
    package var orderings: [Clause<SQLOrdering>] = []
    package var isReversed = false
    /// Whether the primary key settles what the orderings leave open.
    package var isStablyOrdered = false
    package var groupsByPrimaryKey = false
    /// Whether aggregates of associations annotate or filter the rows.
    package var hasAggregates = false
    package var limit: Limit?
    private var rare = RareParts()

    /// The aliases that stand for the source. The first that has a name gives it to the source.
    package var aliases: [TableAliasID] {
        get { rare.box?.parts.aliases ?? [] }
        set { rare.parts.aliases = newValue }
    }
    package var commonTables: [CommonTable] {
        get { rare.box?.parts.commonTables ?? [] }
        set { rare.parts.commonTables = newValue }
    }
    package var groups: [Clause<SQLExpression>] {
        get { rare.box?.parts.groups ?? [] }
        set { rare.parts.groups = newValue }
    }
    package var havings: [Clause<SQLExpression>] {
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
    /// The record that the rows are associated with, for a request for the associated rows of one record.
    package var link: RecordLink? {
        get { rare.box?.parts.link }
        set { rare.parts.link = newValue }
    }
    /// Columns that come after all others, and that no row shows: the keys of prefetched rows, of pages.
    package var hiddenSelection: [SQLSelection] {
        get { rare.box?.parts.hiddenSelection ?? [] }
        set { rare.parts.hiddenSelection = newValue }
    }

    package struct Limit: Hashable, Sendable {
        package var count: Int
        package var offset: Int?

        package init(count: Int, offset: Int?) {
            self.count = count
            self.offset = offset
        }
    }

    /// The source, with how its record type stores values.
    package var storedSource: StoredSource { StoredSource(source: source, storage: storage) }

    package init(_ source: Source, storage: RecordStorage? = nil, selection: [Clause<SQLSelection>] = []) {
        self.source = source
        self.storage = storage
        self.selection = selection
    }

    package init(table: String, schema: String? = nil) { source = .table(TableName(table, schema: schema)) }

    /// Whether the resolver has something to do.
    package var isSymbolic: Bool {
        isStablyOrdered || groupsByPrimaryKey || !joins.isEmpty || link != nil || source.isSymbolic
            || filters.contains { $0.term?.isSymbolic ?? true }
            || selection.contains { $0.term?.isSymbolic ?? true }
            || orderings.contains { $0.term?.isSymbolic ?? true }
            || groups.contains { $0.term?.isSymbolic ?? true }
            || havings.contains { $0.term?.isSymbolic ?? true }
            || windows.contains { $0.window.isSymbolic }
            || commonTables.contains { $0.query.isSymbolic }
    }
}

/// The parts that most relations don't have: copies share them, as one reference (benchmark request-build: each verb
/// of a request copies its relation).
private struct RareParts: Hashable, Sendable {
    struct Parts: Hashable, Sendable {
        var aliases: [TableAliasID] = []
        var commonTables: [CommonTable] = []
        var groups: [Clause<SQLExpression>] = []
        var havings: [Clause<SQLExpression>] = []
        var windows: [WindowDefinition] = []
        var joins: [Join] = []
        var prefetches: [Prefetch] = []
        var link: RecordLink?
        var hiddenSelection: [SQLSelection] = []
    }

    final class Box: Sendable {
        let parts: Parts
        init(_ parts: Parts) { self.parts = parts }
    }

    private(set) var box: Box?

    var parts: Parts {
        get { box?.parts ?? Parts() }
        set { box = Box(newValue) }
    }

    // Each part is read from the box: all of them together are many references to copy.

    static func == (lhs: RareParts, rhs: RareParts) -> Bool { lhs.box === rhs.box || lhs.parts == rhs.parts }
    func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

/// An UPDATE of the rows of a relation.
package struct UpdateQuery: Hashable, Sendable {
    package var conflictResolution: String?
    package var assignments: [ColumnAssignment]
    package var relation: Relation
    package var returning: [SQLSelection]

    package init(
        _ relation: Relation, conflictResolution: String?, assignments: [ColumnAssignment],
        returning: [SQLSelection] = []
    ) {
        self.relation = relation
        self.conflictResolution = conflictResolution
        self.assignments = assignments
        self.returning = returning
    }
}

/// An INSERT of one row, whose values are bound later.
package struct InsertQuery: Hashable, Sendable {
    package var table: TableName
    package var columns: [String]
    /// How many rows the statement inserts.
    package var rowCount = 1
    package var conflictResolution: String?
    package var upsert: Upsert?
    package var returning: [SQLSelection] = []

    package struct Upsert: Hashable, Sendable {
        package var conflictTarget: [String]
        package var assignments: [ColumnAssignment]

        package init(conflictTarget: [String], assignments: [ColumnAssignment]) {
            self.conflictTarget = conflictTarget
            self.assignments = assignments
        }
    }

    package init(table: TableName, columns: [String], conflictResolution: String?) {
        self.table = table
        self.columns = columns
        self.conflictResolution = conflictResolution
    }
}
