// The resolver: the only step that reads the schema. It turns a `Relation` into a `Select`: primary keys, "all columns
// except these", foreign keys, association aggregates and deferred terms become SQL. A relation without any of these
// passes through unchanged, at no cost. The resolver only transforms values. `TermResolver` collects the requirements
// of the terms on their relation (an alias, a joined table).

/// Replaces the parts of queries that depend on the schema.
package struct Resolver {
    let schema: any SchemaReader
    /// The sources of aliases.
    var sources: [TableAliasID: StoredSource] = [:]
    let aggregates: Aggregates

    /// The ways of rendering association aggregates.
    package enum Aggregates {
        /// As columns of joined tables, or as correlated subqueries.
        case joined
        /// As correlated subqueries only: an UPDATE, a DELETE and the condition of a join can't contain joins.
        case correlated
    }

    package init(_ schema: any SchemaReader, aggregates: Aggregates = .joined) {
        self.schema = schema
        self.aggregates = aggregates
    }

    /// The same resolver, for contexts without joins.
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

    /// The relation with its record link resolved and the common tables of its joins hoisted.
    func expanded(_ relation: Relation) throws -> Relation {
        if let link = relation.link { return try expanded(linked(relation, link)) }
        guard !relation.joins.isEmpty || relation.isStablyOrdered else { return relation }
        try checkAliases(of: relation)
        var result = relation
        if result.isStablyOrdered { result.orderAssociationsStably() }
        result.hoistCommonTables()
        return result
    }

    /// Throws an error if an alias refers to two tables.
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
            select.groups += try groupKey(of: relation).map { Self.column($0) }
        }
        if relation.repeatsAggregatedRows, try key(of: relation.source) != nil {
            select.groups = try rowKey(of: relation.source).map { Self.column($0) }
        }
        var joins = try terms.joins(of: relation)
        try replaceSelectedNames(in: &select, joins: &joins, hasDerivedTables: !terms.derivedTables.isEmpty)
        try place(joins, in: &select)
        select.selectSomething()
        // These are requirements of the terms.
        select.aliases = relation.aliases + terms.givenAliases
        select.joins += try terms.derivedTables.map { try terms.join($0) }
        return select
    }

    // MARK: Keys and columns

    /// The columns that identify the rows of a source.
    package func primaryKey(of source: Source) throws -> [String] {
        guard let table = source.keyTable else { throw RequestError.noPrimaryKey(source.name) }
        let columns = try schema.primaryKeyColumns(ofTable: table)
        // Rows of a subquery have no hidden rowid.
        if case .derived = source, try !columns.allSatisfy(schema.columnNames(ofTable: table).contains) {
            throw RequestError.noPrimaryKey(source.name)
        }
        return columns
    }

    /// The columns that identify the rows of a source; nil if the schema defines none.
    func key(of source: Source) throws -> [String]? {
        guard case .table(let table) = source else { return nil }
        return try schema.keyColumns(ofTable: table)
    }

    /// The shortest key that identifies the rows of a source, including the hidden rowid.
    package func rowKey(of source: Source) throws -> [String] {
        // A query may repeat rows of the table whose key applies to them.
        guard case .table(let table) = source else { throw RequestError.noPrimaryKey(source.name) }
        return try schema.rowKey(ofTable: table)
    }

    /// The columns that group the rows of a source by primary key. SQLite groups NULLs together, and a primary key may
    /// contain NULL: in this case, the rowid identifies the rows.
    private func groupKey(of relation: Relation) throws -> [String] {
        let key = try primaryKey(of: relation.source)
        guard case .table(let table) = relation.source,
            // A common table shadows the table and has no rowid.
            !relation.commonTables.contains(where: { $0.name.isSameDatabaseName(as: table.name) }),
            try schema.hasRowID(table), try !schema.areNotNull(key, ofTable: table)
        else { return key }
        return try rowKey(of: relation.source)
    }

    /// The columns of a source, which may be a common table.
    package func columnNames(of source: Source, commonTables: [CommonTable] = []) throws -> [String] {
        if case .derived(let rows, _) = source { return try columnNames(of: rows, commonTables: commonTables) }
        if case .table(let table) = source,
            !commonTables.contains(where: { $0.name.isSameDatabaseName(as: table.name) })
        {
            return try schema.columnNames(ofTable: table)
        }
        var relation = Relation(source)
        if case .function(var call) = source {
            // The columns don't depend on the arguments, which may refer to another table.
            call.arguments = call.arguments.map { _ in .null }
            relation.source = .function(call)
        }
        relation.commonTables = commonTables
        return try schema.columnNames(of: select(relation))
    }

    /// Whether a query returns at most one row, because its conditions fix the columns of a unique key.
    package func hasOneRow(_ select: Select) throws -> Bool {
        guard case .table(let table) = select.source, select.joins.isEmpty, select.commonTables.isEmpty else {
            return false
        }
        let columns = select.filters.flatMap(\.columnsWithOneValue)
        return try !columns.isEmpty && schema.hasUniqueKey(table, columns: columns)
    }

    package static func column(_ name: String, _ table: TableReference = .current) -> SQLExpression {
        SQLExpression(.column(name, table))
    }

    package static func tuple(_ columns: [String], _ table: TableReference) -> SQLExpression {
        tuple(columns.map { column($0, table) })
    }

    package static func tuple(_ terms: [SQLExpression]) -> SQLExpression {
        terms.count == 1 ? terms[0] : SQLExpression(.tuple(terms))
    }
}

extension Relation {
    /// Whether the query returns at most one row, because of a key or an aggregate.
    package var hasOneRow: Bool {
        if isKeyUnique, oneKey != nil || filters.contains(where: \.leavesOneRow) { return true }
        guard groups.isEmpty, !groupsByPrimaryKey else { return false }
        return selection.contains { selection in
            switch selection.node {
            case .expression(let expression), .named(let expression, _): expression.isAggregate
            case .literal, .allColumns, .symbol: false
            }
        }
    }

    /// Whether a key has at most one row: a query may repeat rows of the table whose key applies to them.
    private var isKeyUnique: Bool { if case .derived = source { false } else { true } }

    /// The filter by a single primary key, which selects at most one row.
    package var oneKey: SQLExpression? {
        filters.first {
            if case .symbol(.primaryKey(let values)) = $0.node { values.count == 1 } else { false }
        }
    }

    /// Moves the common tables of joined relations to the query. This happens before they are resolved, so that equal
    /// tables from two places remain equal.
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
