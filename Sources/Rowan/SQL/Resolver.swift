// The resolver: the only step that asks the schema. It replaces the primary key, "all columns but some", foreign keys,
// aggregates of associations, and the clauses that wait for a connection. A relation without any of those comes back
// as it is, at no cost.

import Synchronization

/// Replaces in queries what only the schema can explain.
package struct Resolver {
    let schema: any SchemaReader
    /// The relation that is being resolved: what `.current` stands for.
    var current: CurrentRelation?
    /// What aliases stand for.
    var sources: [TableAliasID: StoredSource] = [:]
    let aliases = AliasNumbers()
    /// Whether aggregates may join derived tables: an UPDATE or a DELETE has no place for them.
    package var joinsAggregates = true

    package init(_ schema: any SchemaReader) { self.schema = schema }

    /// A resolver for terms that stand in a relation.
    package func inside(_ relation: Relation, isOptional: Bool = false) -> Resolver {
        var resolver = self
        resolver.current = CurrentRelation(relation, isOptional: isOptional)
        resolver.learnAliases(of: relation)
        return resolver
    }

    /// A resolver for what a statement returns of the rows that it changes: it has no place for joins.
    package func returning(from relation: Relation) -> Resolver {
        var resolver = inside(relation)
        resolver.joinsAggregates = false
        return resolver
    }

    /// The aliases that correlated subqueries were given for the relation of this resolver.
    package var givenAliases: [TableAliasID] { current?.givenAliases ?? [] }

    package func resolve(_ relation: Relation) throws -> Relation {
        guard relation.isSymbolic else { return relation }
        if let link = relation.link { return try resolve(linked(relation, link)) }
        guard !relation.joins.isEmpty else { return try inside(relation).resolved(relation) }
        try checkAliases(of: relation)
        var hoisted = relation
        hoisted.hoistCommonTables()
        var result = try inside(hoisted).resolved(hoisted)
        if relation.repeatsAggregatedRows, try key(of: relation.source) != nil {
            result.groups = try rowKey(of: relation.source).map { .term(Self.column($0)) }
        }
        return result
    }

    private mutating func learnAliases(of relation: Relation) {
        for alias in relation.aliases { sources[alias] = relation.storedSource }
        for join in relation.joins { learnAliases(of: join.step.relation) }
    }

    /// The relation of this resolver, resolved.
    func resolved(_ relation: Relation) throws -> Relation {
        var result = relation
        result.source = try resolve(relation.source)
        result.commonTables = try relation.commonTables.map(resolve)
        result.selection = try terms(relation.selection, resolve)
        result.filters = try terms(relation.filters) { [try expression($0)] }
        result.groups = try terms(relation.groups) { [try expression($0)] }
        result.havings = try terms(relation.havings) { [try expression($0)] }
        result.windows = try relation.windows.map { .init(name: $0.name, window: try $0.window.map(self)) }
        result.orderings = try terms(relation.orderings, resolve)
        result.hiddenSelection = try relation.hiddenSelection.flatMap(resolve)
        if relation.groupsByPrimaryKey {
            result.groups += try currentPrimaryKey().map { .term(Self.column($0)) }
            result.groupsByPrimaryKey = false
        }
        if relation.isStablyOrdered {
            result.orderings += try currentPrimaryKey().map {
                .term(SQLOrdering(.expression(Self.column($0), .none)))
            }
            result.isStablyOrdered = false
        }
        try resolveJoins(of: relation, in: &result)
        if let current {
            result.aliases += current.givenAliases
            result.joins += try current.derivedTables.map { try resolve($0.join, from: relation.storedSource) }
        }
        try nameGroupedColumns(of: &result)
        return result
    }

    package func resolve(_ table: CommonTable) throws -> CommonTable {
        var result = table
        result.query = try subquery(table.query)
        return result
    }

    func resolve(_ source: Source) throws -> Source {
        switch source {
        case .table: return source
        case .subquery(let query, let name): return .subquery(try subquery(query), name: name)
        case .function(var call):
            call.arguments = try call.arguments.map(expression)
            return .function(call)
        }
    }

    package func resolve(_ selection: SQLSelection) throws -> [SQLSelection] {
        switch selection.node {
        case .expression(let e): [SQLSelection(.expression(try expression(e)))]
        case .named(let e, let name): [SQLSelection(.named(try expression(e), name))]
        case .literal(let l): [SQLSelection(.literal(try literal(l)))]
        case .allColumns: [selection]
        case .allColumnsExcluding(let excluded, let table):
            try columns(excluding: Set(excluded.map(\.foldedDatabaseName)), of: table)
        case .primaryKey:
            try currentPrimaryKey().map { SQLSelection(.expression(Self.column($0))) }
        }
    }

    package func resolve(_ ordering: SQLOrdering) throws -> [SQLOrdering] {
        switch ordering.node {
        case .expression(let e, let direction): [SQLOrdering(.expression(try expression(e), direction))]
        case .literal(let l): [SQLOrdering(.literal(try literal(l)))]
        case .primaryKey(let direction):
            try currentPrimaryKey().map { SQLOrdering(.expression(Self.column($0), direction)) }
        }
    }

    func terms<Term>(
        _ clauses: [Clause<Term>], _ resolve: (Term) throws -> [Term]
    ) throws -> [Clause<Term>] {
        try clauses.flatMap { clause -> [Clause<Term>] in
            switch clause {
            case .term(let term): try resolve(term).map { .term($0) }
            case .deferred(let deferred): try deferred.terms(schema).flatMap(resolve).map { .term($0) }
            }
        }
    }

    private func currentPrimaryKey() throws -> [String] {
        guard let current else { throw ResolutionError.noTable }
        return try primaryKey(of: current.source)
    }

    /// The columns that tell the rows of a source.
    func primaryKey(of source: Source) throws -> [String] {
        guard case .table(let table) = source else { throw ResolutionError.noPrimaryKey(source.name) }
        return try schema.primaryKeyColumns(ofTable: table)
    }

    /// The columns that tell the rows of a source, nil if it has none that the schema knows.
    func key(of source: Source) throws -> [String]? {
        guard case .table(let table) = source else { return nil }
        return try schema.keyColumns(ofTable: table)
    }

    /// The shortest key that tells the rows of a source, the hidden rowid included.
    package func rowKey(of source: Source) throws -> [String] {
        guard case .table(let table) = source else { throw ResolutionError.noPrimaryKey(source.name) }
        guard try schema.hasRowID(table) else { return try schema.primaryKeyColumns(ofTable: table) }
        // A column may have one of its names. <https://sqlite.org/rowidtable.html>
        let columns = try schema.columnNames(ofTable: table)
        let name = ["rowid", "_rowid_", "oid"].first { !columns.contains(where: $0.isSameDatabaseName) }
        return try name.map { [$0] } ?? schema.primaryKeyColumns(ofTable: table)
    }

    private func columns(
        excluding excluded: Set<String>, of table: SQLSelection.QualifiedTable?
    ) throws -> [SQLSelection] {
        guard let source = table.map({ Source.table($0.table) }) ?? current?.source else {
            throw ResolutionError.noTable
        }
        let reference = table.map { TableReference.alias($0.alias) } ?? .current
        return try columnNames(of: source)
            .filter { !excluded.contains($0.foldedDatabaseName) }
            .map { SQLSelection(.expression(Self.column($0, reference))) }
    }

    /// The columns of a source, with the definition of the common table that it may be.
    func columnNames(of source: Source, commonTables: [CommonTable] = []) throws -> [String] {
        if case .table(let table) = source,
            !commonTables.contains(where: { $0.name.isSameDatabaseName(as: table.name) })
        {
            return try schema.columnNames(ofTable: table)
        }
        var relation = Relation(source)
        if case .function(var call) = source {
            // Its columns don't depend on its arguments, which may be those of another table.
            call.arguments = call.arguments.map { _ in .null }
            relation.source = .function(call)
        }
        relation.commonTables = commonTables
        return try schema.columnNames(of: resolve(relation))
    }

    static func column(_ name: String, _ table: TableReference = .current) -> SQLExpression {
        SQLExpression(.column(name, table))
    }
}

/// What a relation is for the terms that stand in it, and what they ask of it.
final class CurrentRelation {
    let storedSource: StoredSource
    var source: Source { storedSource.source }
    /// Whether the relation is limited to one row: a scan for the aggregates of one row is shorter than one for all.
    let isLimitedToOne: Bool
    /// The filter on one primary key, if there is one.
    let key: SQLExpression?
    /// Whether the row may be missing, by an outer join.
    let isOptional: Bool
    /// The alias that correlated subqueries know the relation by.
    private(set) var alias: TableAliasID?
    /// The tables that aggregates come from.
    var derivedTables: [DerivedAggregates] = []

    init(_ relation: Relation, isOptional: Bool = false) {
        self.isOptional = isOptional || relation.joins.contains { $0.kind == .right || $0.kind == .full }
        storedSource = relation.storedSource
        isLimitedToOne = relation.limit?.count == 1
        key = relation.oneKey
        alias = relation.aliases.first
    }

    /// The alias, if the user did not give it.
    private(set) var givenAliases: [TableAliasID] = []

    func alias(_ numbers: AliasNumbers) -> TableAliasID {
        if let alias { return alias }
        let alias = numbers.next()
        self.alias = alias
        givenAliases = [alias]
        return alias
    }
}

/// Numbers for the aliases that the resolver gives: below zero, unlike those of users. They are never given twice,
/// because a resolved relation may be a part of a later query. No SQL shows them.
struct AliasNumbers {
    private static let count = Atomic<Int>(0)

    func next() -> TableAliasID {
        TableAliasID(number: -Self.count.add(1, ordering: .relaxed).newValue, name: nil)
    }
}

extension Relation {
    /// The filter on one primary key, which leaves one row at most.
    package var oneKey: SQLExpression? {
        filters.lazy.compactMap(\.term).first {
            if case .primaryKey(let values) = $0.node { values.count == 1 } else { false }
        }
    }

    /// The common tables of joined relations are those of the query. Before they are resolved: two places that have the
    /// same one get the same.
    fileprivate mutating func hoistCommonTables() {
        for index in joins.indices {
            joins[index].step.relation.hoistCommonTables()
            let tables = joins[index].step.relation.commonTables
            guard !tables.isEmpty else { continue }
            commonTables += tables.filter { !commonTables.contains($0) }
            joins[index].step.relation.commonTables = []
        }
    }
}
