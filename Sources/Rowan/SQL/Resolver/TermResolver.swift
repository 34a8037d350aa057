// Resolves the terms of a relation to SQL. Some terms have requirements: a correlated subquery needs an alias of the
// relation, and an aggregate may need a joined table. This type collects the requirements.

/// Resolves the terms of a relation.
package struct TermResolver: ExpressionTransform {
    private(set) var resolver: Resolver
    /// The relation of unqualified columns; nil if there is none.
    let current: CurrentRelation?
    /// The alias of the relation in correlated subqueries, unless it has a user-given alias.
    package private(set) var givenAliases: [TableAliasID] = []
    /// The derived tables that compute aggregates.
    private(set) var derivedTables: [DerivedAggregates] = []

    init(_ resolver: Resolver, in current: CurrentRelation?) {
        self.resolver = resolver
        self.current = current
    }

    var schema: any SchemaReader { resolver.schema }

    // MARK: Lists

    mutating func expressions(_ terms: [SQLExpression]) throws -> [SQLExpression] {
        guard terms.contains(where: \.isSymbolic) else { return terms }
        return try terms.flatMap { term -> [SQLExpression] in
            guard case .symbol(.deferred(let deferred)) = term.node else { return [try expression(term)] }
            return try expressions(deferred.terms(schema))
        }
    }

    package mutating func selection(_ terms: [SQLSelection]) throws -> [SQLSelection] {
        guard terms.contains(where: \.isSymbolic) else { return terms }
        return try terms.flatMap { try selection($0) }
    }

    /// The order of a relation, possibly reversed as a whole, or with ties broken by the primary key.
    mutating func orderings(of relation: Relation, isInReverse: Bool) throws -> [SQLOrdering] {
        let isReversed = relation.isReversed != isInReverse
        var terms = isReversed ? relation.orderings.map(\.reversed) : relation.orderings
        if terms.contains(where: \.isSymbolic) { terms = try terms.flatMap { try orderings($0) } }
        if relation.isStablyOrdered {
            let direction = isReversed ? SQLOrdering.Direction.descending : .none
            terms += try tieBreakers(of: relation).map { SQLOrdering(.expression($0, direction)) }
        }
        return terms
    }

    // MARK: Terms

    private mutating func selection(_ selection: SQLSelection) throws -> [SQLSelection] {
        switch selection.node {
        case .expression(let e): [SQLSelection(.expression(try expression(e)))]
        case .named(let e, let name): [SQLSelection(.named(try expression(e), name))]
        case .literal(let l): [SQLSelection(.literal(try literal(l)))]
        case .allColumns: [selection]
        case .symbol(.allColumnsExcluding(let excluded, let table)):
            try columns(excluding: Set(excluded.map(\.foldedDatabaseName)), of: table)
        case .symbol(.columns(let alias, let excluded)):
            try columns(of: alias, excluding: Set(excluded.map(\.foldedDatabaseName)))
        case .symbol(.primaryKey):
            try currentPrimaryKey().map { SQLSelection(.expression(Resolver.column($0))) }
        case .symbol(.nothing): []
        case .symbol(.deferred(let deferred)): try self.selection(deferred.terms(schema))
        }
    }

    package mutating func orderings(_ ordering: SQLOrdering) throws -> [SQLOrdering] {
        switch ordering.node {
        case .expression(let e, let direction): [SQLOrdering(.expression(try expression(e), direction))]
        case .literal(let l): [SQLOrdering(.literal(try literal(l)))]
        case .symbol(.primaryKey(let direction)):
            try currentPrimaryKey().map { SQLOrdering(.expression(Resolver.column($0), direction)) }
        case .symbol(.deferred(let deferred)): try deferred.terms(schema).flatMap { try orderings($0) }
        }
    }

    package mutating func expression(_ expression: SQLExpression) throws -> SQLExpression {
        guard expression.isSymbolic else { return expression }
        switch expression.node {
        case .symbol(let symbol): return try self.expression(symbol, depth: expression.depth)
        case .storable(let value): return SQLExpression(.value(value.databaseValue))
        // The column has already converted the values it is compared with.
        case .column: return SQLExpression(expression.node)
        // The resolved aggregate may have a simpler negation.
        case .unary(.not, let operand): return try self.expression(operand).negated
        case .value, .constant, .literal, .unary, .binary, .associative, .equal, .between, .isIn, .like, .collated,
            .function, .windowed, .conditional, .cast, .subquery, .exists, .tuple, .bound:
            return try stored(expression).mapChildren(&self)
        }
    }

    private mutating func expression(_ symbol: SQLExpression.Symbol, depth: Int32) throws -> SQLExpression {
        switch symbol {
        case .primaryKey(let values): return try primaryKey(isIn: values)
        case .aggregate(let value): return try aggregate(value)
        case .rowExists(let alias):
            guard let source = resolver.sources[alias] else { throw RequestError.unknownAlias }
            return try exists(.alias(alias), source.source)
        case .fullText(let term, let table): return try fullText(term, of: table)
        case .deferred(let deferred): return .joined(try expressions(deferred.terms(schema)), by: .and)
        case .tooDeep: throw schema.error(forNesting: Int(depth))
        }
    }

    /// An assignment whose value is encoded as the record type stores it.
    package mutating func assignment(_ assignment: ColumnAssignment) throws -> ColumnAssignment {
        guard let value = assignment.value else { return assignment }
        let column =
            assignment.convertsValue
            ? SQLExpression(convertingColumn: assignment.column) : Resolver.column(assignment.column)
        let stored = stored(value, like: column)
        return ColumnAssignment(column: assignment.column, value: try expression(stored))
    }

    package func check(_ call: SQLExpression.FunctionCall) throws {
        guard !call.orderings.isEmpty else { return }
        try schema.requireSQLite(3_044_000, for: "ORDER BY in the call of an aggregate function (\(call.name))")
    }

    // MARK: Queries

    package mutating func source(_ source: Source) throws -> Source {
        switch source {
        case .table: return source
        case .subquery(let query, let name): return .subquery(try subquery(query), name: name)
        case .function(var call):
            call.arguments = try call.arguments.map { try expression($0) }
            return .function(call)
        case .derived(let rows, let table): return .derived(try self.source(rows), from: table)
        }
    }

    mutating func commonTable(_ table: CommonTable) throws -> CommonTable {
        var result = table
        result.query = try subquery(table.query)
        return result
    }

    package mutating func subquery(_ subquery: SQLSubquery) throws -> SQLSubquery {
        guard subquery.isSymbolic else { return subquery }
        switch subquery.content {
        // A subquery has its own tables: its terms don't belong to the current relation.
        case .literal(let l): return SQLSubquery(.literal(try resolver.literal(l)))
        case .relation(let relation): return SQLSubquery(.select(try resolver.select(relation)))
        case .select: return subquery
        case .compound(let compound): return SQLSubquery(.compound(try resolver.compound(compound)))
        }
    }

    mutating func compound(_ compound: CompoundQuery) throws -> CompoundQuery {
        var result = compound
        result.first = try subquery(compound.first)
        result.others = try compound.others.map { .init($0.op, try subquery($0.query)) }
        result.orderings = try compound.orderings.flatMap { try orderings($0) }
        return result
    }

    package mutating func literal(_ literal: SQL) throws -> SQL {
        guard literal.isSymbolic else { return literal }
        return SQL(
            segments: try literal.segments.flatMap { segment -> [SQL.Segment] in
                switch segment {
                case .text: [segment]
                case .expression(let e): [.expression(try expression(e))]
                case .selection(let s): list(try selection([s]).map { .selection($0) })
                case .ordering(let ordering): list(try orderings(ordering).map { .ordering($0) })
                case .subquery(let query): [.subquery(try subquery(query))]
                case .cte(let table): [.cte(try commonTable(table))]
                }
            })
    }

    private func list(_ segments: [SQL.Segment]) -> [SQL.Segment] {
        Array(segments.map { [$0] }.joined(separator: [.text(", ", StatementArguments())]))
    }

    // MARK: Requirements of terms

    /// The alias of the relation in correlated subqueries.
    mutating func alias(of current: CurrentRelation) -> TableAliasID {
        if let alias = current.alias ?? givenAliases.first { return alias }
        let alias = TableAliasID.given()
        givenAliases = [alias]
        return alias
    }

    /// The value of an aggregate, in the derived table of aggregates over its path.
    mutating func value(
        of value: AssociatedValue, in table: @autoclosure () throws -> DerivedAggregates
    ) rethrows -> SQLExpression {
        let index: Int
        if let known = derivedTables.firstIndex(where: { $0.path == value.path }) {
            index = known
        } else {
            derivedTables.append(try table())
            index = derivedTables.count - 1
        }
        return derivedTables[index].value(of: value.function)
    }

    /// Runs the closure with additional known aliases.
    mutating func withSources<T>(
        _ sources: KeyValuePairs<TableAliasID, StoredSource>, _ body: (inout TermResolver) throws -> T
    ) rethrows -> T {
        let outer = resolver.sources
        defer { resolver.sources = outer }
        for (alias, source) in sources { resolver.sources[alias] = source }
        return try body(&self)
    }
}
