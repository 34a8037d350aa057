// The position of a row in an order, and the rows that follow it.
// Source: https://sqlite.org/rowvalue.html#scrolling_window_queries

/// A relation with a total order, whose terms identify the position of a row.
struct Keyset {
    struct Term {
        var expression: SQLExpression
        var direction: SQLOrdering.Direction
        var isNullable: Bool
        var ordering: SQLOrdering { SQLOrdering(.expression(expression, direction)) }
    }

    private var base: Relation
    private(set) var terms: [Term] = []
    /// Identifies the order. It is the same in all processes.
    private(set) var fingerprint: UInt64 = 0

    init(_ db: Database, _ relation: Relation) throws {
        base = relation
        guard relation.limit == nil, relation.groups.isEmpty, !relation.groupsByPrimaryKey, !relation.isDistinct else {
            throw Self.misuse(
                "cannot paginate a request that has a limit, groups or distinct rows: remove them, and pass the size of pages"
            )
        }
        guard !relation.hasWindowFunctions else {
            throw Self.misuse(
                "cannot paginate a request that has window functions, which would not see the rows of earlier pages: remove them, or use a limit and an offset"
            )
        }
        guard !relation.repeatsAggregatedRows else {
            throw Self.misuse(
                "cannot paginate a request that has aggregates of associations and joins that repeat its rows: remove the joins"
            )
        }
        guard !relation.hasJoinedOrder else {
            throw Self.misuse(
                "cannot paginate a request with ordered joined associations: order by their columns with table aliases"
            )
        }
        let resolver = Resolver(db)
        var orderings = try relation.orderings.flatMap { term -> [SQLOrdering] in
            if case .symbol(.deferred(let deferred)) = term.node { try deferred.terms(db) } else { [term] }
        }
        if relation.isReversed { orderings = orderings.map(\.reversed) }
        let key = try resolver.primaryKey(of: relation.source)
        for ordering in orderings {
            switch ordering.node {
            case .expression(let term, let direction):
                // The values of a token are stored values.
                let expression = try relation.orderedExpression(term, resolver).comparedAsStored
                // Unresolved because an aggregate depends on the query that contains it.
                let isNullable = try Self.isNullable(expression, relation.source, db)
                terms.append(Term(expression: expression, direction: direction, isNullable: isNullable))
            case .symbol(.primaryKey(let direction)): try add(key, .current, direction, of: relation.source, db)
            case .literal, .symbol(.deferred):
                throw Self.misuse("cannot paginate a request that is ordered by SQL text: order it by expressions")
            }
        }
        // The direction of the last term, so that one index serves both terms.
        let direction: SQLOrdering.Direction = (terms.last?.direction.isDescending ?? false) ? .descending : .none
        try add(key, .current, direction, of: relation.source, db)
        // In a table with rowid, several rows may have NULL in their primary key.
        if terms.contains(where: { $0.isNullable && key.contains(where: $0.expression.isCurrentColumn) }) {
            try add(resolver.rowKey(of: relation.source), .current, direction, of: relation.source, db)
        }
        var joins = base.joins
        for index in joins.indices {
            try addKeys(of: &joins[index], from: relation.storedSource, direction, resolver, db)
        }
        base.joins = joins
        fingerprint = try base.orderFingerprint(terms.map { $0.ordering }, resolver)
    }

    /// Adds the columns of a key that are not terms yet.
    private mutating func add(
        _ key: [String], _ table: TableReference, _ direction: SQLOrdering.Direction, of source: Source,
        isOptional: Bool = false, _ db: Database
    ) throws {
        for column in key {
            let expression = Resolver.column(column, table)
            guard !terms.contains(where: { $0.expression.isColumn(column, table) }) else { continue }
            let isNullable = try isOptional || Self.isNullable(Resolver.column(column), source, db)
            terms.append(Term(expression: expression, direction: direction, isNullable: isNullable))
        }
    }

    /// A join may repeat a row, so the keys of the joined rows are terms as well.
    private mutating func addKeys(
        of join: inout Join, from origin: StoredSource, _ direction: SQLOrdering.Direction, _ resolver: Resolver,
        isOptional: Bool = false, _ db: Database
    ) throws {
        guard join.kind == .inner || join.kind == .left else {
            throw Self.misuse(
                "cannot paginate a request that has a right, full or cross join: use inner and left joins")
        }
        var relation = join.step.relation
        let isOptional = isOptional || join.kind == .left
        if try !isToOne(join, from: origin, resolver, db) {
            let alias = relation.aliases.first ?? .given()
            if relation.aliases.isEmpty { relation.aliases = [alias] }
            let key = try resolver.primaryKey(of: relation.source)
            try add(key, .alias(alias), direction, of: relation.source, isOptional: isOptional, db)
            if try key.contains(where: { try Self.isNullable(Resolver.column($0), relation.source, db) }) {
                let rowKey = try resolver.rowKey(of: relation.source)
                try add(rowKey, .alias(alias), direction, of: relation.source, isOptional: isOptional, db)
            }
        }
        for index in relation.joins.indices {
            try addKeys(
                of: &relation.joins[index], from: relation.storedSource, direction, resolver, isOptional: isOptional, db
            )
        }
        join.step.relation = relation
    }

    private func isToOne(_ join: Join, from origin: StoredSource, _ resolver: Resolver, _ db: Database) throws -> Bool {
        if case .first = join.step.condition { return true }
        let condition = try resolver.condition(join.step.condition, from: origin, to: join.step.relation.storedSource)
        guard case .columns(let pairs) = condition, case .table(let table) = join.step.relation.source else {
            return false
        }
        return try pairs.allSatisfy { $0.foreignConversion == nil }
            && db.hasUniqueKey(table, columns: pairs.map(\.destination))
    }

    /// Rows after a position that one index search finds: the first terms have constant values, and the next one is in
    /// a range. In order, the parts contain all rows after the position.
    ///
    /// A single condition for all of them would contain `OR`, and SQLite would read the index from its start.
    struct Part {
        var filter: SQLExpression?
        var orderings: [SQLOrdering]
    }

    /// The rows of a part.
    func relation(_ part: Part, count: Int) -> Relation {
        var result = base
        result.orderings = part.orderings
        if base.isStablyOrdered { result.orderPrefetchesStably() }
        (result.isReversed, result.isStablyOrdered) = (false, false)
        result.hiddenSelection = terms.map { SQLSelection(.expression($0.expression)) }
        result.limit = Relation.Limit(count: count, offset: nil)
        if let filter = part.filter { result.filters.append(filter) }
        return result
    }

    func parts(after token: PageToken?) throws -> [Part] {
        guard let token else { return [Part(filter: nil, orderings: terms.map(\.ordering))] }
        guard token.order == fingerprint, token.values.count == terms.count else { throw PageError.otherOrder }
        // The last terms that can be compared as one row.
        let direction = terms[terms.count - 1].direction.isDescending
        let isRow = { (term: Term) in !term.isNullable && term.direction.isDescending == direction }
        let rowStart = terms.lastIndex { !isRow($0) }.map { $0 + 1 } ?? 0
        var parts: [Part] = []
        if rowStart < terms.count {
            parts.append(part(rowStart, [after(token.values, from: rowStart)], token.values))
        }
        for index in (0..<rowStart).reversed() {
            for range in terms[index].ranges(after: token.values[index]) {
                parts.append(part(index, [range.filter], token.values, isNull: range.isNull))
            }
        }
        // There are no rows after the position.
        return parts.isEmpty ? [Part(filter: .value(.int64(0)), orderings: [])] : parts
    }

    /// The part in which the terms before an index have the values of the position.
    private func part(
        _ index: Int, _ filters: [SQLExpression], _ values: [PageToken.Value], isNull: Bool = false
    ) -> Part {
        let equal = zip(terms, values).prefix(index).map { term, value in
            SQLExpression(.equal(term.expression, value.expression, isNegated: false))
        }
        // Terms with one value in all rows of the part need no order.
        var orderings = terms[index...].map(\.ordering)
        if isNull {
            orderings.removeFirst()
        } else {
            let direction: SQLOrdering.Direction = terms[index].direction.isDescending ? .descending : .none
            orderings[0] = SQLOrdering(.expression(terms[index].expression, direction))
        }
        return Part(filter: .joined(equal + filters, by: .and), orderings: orderings)
    }

    /// The condition that the terms from an index on come after their values, as one row.
    private func after(_ values: [PageToken.Value], from start: Int) -> SQLExpression {
        let expressions = terms[start...].map(\.expression)
        let operands = values[start...].map(\.expression)
        let isSingle = expressions.count == 1
        return SQLExpression(
            .binary(
                terms[start].direction.isDescending ? .less : .greater,
                isSingle ? expressions[0] : SQLExpression(.tuple(expressions)),
                isSingle ? operands[0] : SQLExpression(.tuple(operands))))
    }

    private static func isNullable(_ expression: SQLExpression, _ source: Source, _ db: Database) throws -> Bool {
        guard case .table(let table) = source, case .column(let name, .current) = expression.node else { return true }
        if try db.rowIDNames(of: table.name, in: table.schema).contains(where: name.isSameDatabaseName) { return false }
        return try !db.areNotNull([name], ofTable: table)
    }

    private static func misuse(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: message)
    }
}

extension Relation {
    /// The expression that ORDER BY would use for a term: a name refers to the first column of the selection with this
    /// name. The condition of the next page would read the table's column instead.
    fileprivate func orderedExpression(_ term: SQLExpression, _ resolver: Resolver) throws -> SQLExpression {
        guard joins.isEmpty, case .column(let name, .current) = term.node else { return term }
        for selection in selection {
            switch selection.node {
            case .named(let expression, let column) where column.isSameDatabaseName(as: name): return expression
            case .allColumns:
                if try resolver.columnNames(of: source).contains(where: name.isSameDatabaseName) { return term }
            case .named, .expression, .literal, .symbol: continue
            }
        }
        return term
    }
}

extension Keyset.Term {
    /// The ranges of values that come after a value in their order, with NULL where the direction places it.
    func ranges(after value: PageToken.Value) -> [(filter: SQLExpression, isNull: Bool)] {
        let isNull = SQLExpression(.equal(expression, .null, isNegated: false))
        let nullsFirst = direction == .none || direction == .ascending || direction == .descendingNullsFirst
        if value == .null { return nullsFirst ? [(isNull.negated, false)] : [] }
        let beyond = SQLExpression(
            .binary(direction.isDescending ? .less : .greater, expression, value.expression))
        return [(beyond, false)] + (isNullable && !nullsFirst ? [(isNull, true)] : [])
    }
}

extension SQLOrdering.Direction {
    fileprivate var isDescending: Bool {
        switch self {
        case .none, .ascending, .ascendingNullsLast: false
        case .descending, .descendingNullsFirst: true
        }
    }
}

extension SQLExpression {
    fileprivate func isColumn(_ name: String, _ table: TableReference) -> Bool {
        if case .column(let column, table) = node { column.isSameDatabaseName(as: name) } else { false }
    }
}

extension SQLExpression {
    fileprivate func isCurrentColumn(_ name: String) -> Bool { isColumn(name, .current) }
}

extension Relation {
    /// Whether any joined relation, at any depth, has an order.
    fileprivate var hasJoinedOrder: Bool {
        joins.contains { !$0.step.relation.orderings.isEmpty || $0.step.relation.hasJoinedOrder }
    }
}

extension Relation {
    /// Whether a term of the rows is computed over other rows.
    fileprivate var hasWindowFunctions: Bool {
        selection.contains { $0.contains(SQLExpression.findWindow) }
            || orderings.contains { $0.contains(SQLExpression.findWindow) }
            || joins.contains { join in
                join.annotation.contains { $0.contains(SQLExpression.findWindow) }
                    || join.step.relation.hasWindowFunctions
            }
    }
}
