// The resolver: the only step that asks the schema. It makes a `Select` of a `Relation`: primary keys, "all columns but
// some", foreign keys, aggregates of associations and terms that wait for a connection become SQL. A relation without
// any of those comes out as it is, at no cost.
// Values go in and come out: what the terms of a relation ask of it (an alias, a joined table) is in `TermResolver`.

/// Replaces in queries what only the schema can explain.
package struct Resolver {
    let schema: any SchemaReader
    /// What aliases stand for.
    var sources: [TableAliasID: StoredSource] = [:]
    let aggregates: Aggregates

    /// What aggregates of associations may become.
    package enum Aggregates {
        /// Columns of tables that are joined, or correlated subqueries.
        case joined
        /// Correlated subqueries: an UPDATE, a DELETE and the condition of a join have no place for joins.
        case correlated
    }

    package init(_ schema: any SchemaReader, aggregates: Aggregates = .joined) {
        self.schema = schema
        self.aggregates = aggregates
    }

    /// The same resolver, for a place without joins.
    var correlated: Resolver {
        var resolver = Resolver(schema, aggregates: .correlated)
        resolver.sources = sources
        return resolver
    }

    /// The query of a relation.
    package func select(_ relation: Relation) throws -> Select {
        try Select(relation) ?? select(expanded: expanded(relation))
    }

    package func subquery(_ subquery: SQLSubquery) throws -> SQLSubquery {
        var terms = TermResolver(self, in: nil)
        return try terms.subquery(subquery)
    }

    package func compound(_ compound: CompoundQuery) throws -> CompoundQuery {
        var terms = TermResolver(self, in: nil)
        return try terms.compound(compound)
    }

    package func literal(_ literal: SQL) throws -> SQL {
        var terms = TermResolver(self, in: nil)
        return try terms.literal(literal)
    }

    // MARK: Relations

    /// The relation of the rows that it is linked to, whose joins have no common tables of their own.
    func expanded(_ relation: Relation) throws -> Relation {
        if let link = relation.link { return try expanded(linked(relation, link)) }
        guard !relation.joins.isEmpty else { return relation }
        try checkAliases(of: relation)
        var result = relation
        result.hoistCommonTables()
        return result
    }

    /// Throws if an alias stands for two tables.
    private func checkAliases(of relation: Relation) throws {
        var aliases: Set<TableAliasID> = []
        func check(_ relation: Relation) throws {
            for alias in relation.aliases where !aliases.insert(alias).inserted {
                throw RequestError.aliasOfTwoTables(relation.source.name)
            }
            for join in relation.joins { try check(join.step.relation) }
        }
        try check(relation)
    }

    /// The query of an expanded relation.
    func select(expanded relation: Relation) throws -> Select {
        var terms = terms(of: relation)
        var select = Select(try terms.source(relation.source))
        select.commonTables = try relation.commonTables.map { try terms.commonTable($0) }
        select.isDistinct = relation.isDistinct
        select.selection =
            try relation.selection.isEmpty ? SQLSelection.all : terms.selection(relation.selection)
        select.filters = try terms.expressions(relation.filters)
        select.groups = try terms.expressions(relation.groups)
        select.havings = try terms.expressions(relation.havings)
        select.windows = try relation.windows.map { .init(name: $0.name, window: try $0.window.map(&terms)) }
        select.orderings = try terms.orderings(of: relation, isInReverse: false)
        select.hiddenSelection = try terms.selection(relation.hiddenSelection)
        select.limit = relation.limit
        if relation.groupsByPrimaryKey {
            select.groups += try primaryKey(of: relation.source).map { Self.column($0) }
        }
        if relation.repeatsAggregatedRows, try key(of: relation.source) != nil {
            select.groups = try rowKey(of: relation.source).map { Self.column($0) }
        }
        let joins = try terms.joins(of: relation)
        try place(joins, in: &select)
        select.selectSomething()
        // What the terms have asked for.
        select.aliases = relation.aliases + terms.givenAliases
        select.joins += try terms.derivedTables.map { try terms.join($0) }
        return select
    }

    // MARK: Keys and columns

    /// The columns that tell the rows of a source.
    package func primaryKey(of source: Source) throws -> [String] {
        guard case .table(let table) = source else { throw RequestError.noPrimaryKey(source.name) }
        return try schema.primaryKeyColumns(ofTable: table)
    }

    /// The columns that tell the rows of a source, nil if it has none that the schema knows.
    func key(of source: Source) throws -> [String]? {
        guard case .table(let table) = source else { return nil }
        return try schema.keyColumns(ofTable: table)
    }

    /// The shortest key that tells the rows of a source, the hidden rowid included.
    package func rowKey(of source: Source) throws -> [String] {
        guard case .table(let table) = source else { throw RequestError.noPrimaryKey(source.name) }
        guard try schema.hasRowID(table) else { return try schema.primaryKeyColumns(ofTable: table) }
        // A column may have one of its names. <https://sqlite.org/rowidtable.html>
        let columns = try schema.columnNames(ofTable: table)
        let name = ["rowid", "_rowid_", "oid"].first { !columns.contains(where: $0.isSameDatabaseName) }
        return try name.map { [$0] } ?? schema.primaryKeyColumns(ofTable: table)
    }

    /// The columns of a source, with the definition of the common table that it may be.
    package func columnNames(of source: Source, commonTables: [CommonTable] = []) throws -> [String] {
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
        return try schema.columnNames(of: select(relation))
    }

    package static func column(_ name: String, _ table: TableReference = .current) -> SQLExpression {
        SQLExpression(.column(name, table))
    }

    package static func tuple(_ columns: [String], _ table: TableReference) -> SQLExpression {
        columns.count == 1 ? column(columns[0], table) : SQLExpression(.tuple(columns.map { column($0, table) }))
    }
}

extension Relation {
    /// Whether the query has one row at most, by a key or by an aggregate.
    package var hasOneRow: Bool {
        if oneKey != nil || filters.contains(where: \.leavesOneRow) { return true }
        guard groups.isEmpty, !groupsByPrimaryKey else { return false }
        return selection.contains { selection in
            switch selection.node {
            case .expression(let expression), .named(let expression, _): expression.isAggregate
            case .literal, .allColumns, .symbol: false
            }
        }
    }

    /// The filter on one primary key, which leaves one row at most.
    package var oneKey: SQLExpression? {
        filters.first {
            if case .symbol(.primaryKey(let values)) = $0.node { values.count == 1 } else { false }
        }
    }

    /// The common tables of joined relations are those of the query. Before they are resolved: two places that have the
    /// same one get the same.
    fileprivate mutating func hoistCommonTables() {
        for index in joins.indices {
            joins[index].step.relation.hoistCommonTables()
            let tables = joins[index].step.relation.commonTables
            guard !tables.isEmpty else { continue }
            for table in tables { commonTables.add(table) }
            joins[index].step.relation.commonTables = []
        }
    }
}
