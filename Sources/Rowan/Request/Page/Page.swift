// Keyset pagination: a page starts after the last row of the previous page, wherever that row is now. Inserted or
// deleted rows don't shift pages, and the last page is as fast as the first.
// Source: https://sqlite.org/rowvalue.html#scrolling_window_queries

/// A page of rows, with the start of the next page. It is a collection of its elements: `for player in page { ... }`.
public struct Page<Element> {
    /// The elements of the page.
    public var elements: [Element]
    /// The start of the next page; nil for the last page.
    public var next: PageToken?

    @usableFromInline
    init(elements: [Element], next: PageToken?) {
        self.elements = elements
        self.next = next
    }
}

extension Page: RandomAccessCollection {
    /// The position of the first element.
    public var startIndex: Int { elements.startIndex }
    /// The position after the last element.
    public var endIndex: Int { elements.endIndex }
    /// The element at a position.
    public subscript(position: Int) -> Element { elements[position] }
}

extension Page: Sendable where Element: Sendable {}
extension Page: Equatable where Element: Equatable {}

/// A request for one page.
public struct PageRequest<RowDecoder>: Sendable {
    let relation: Relation
    let token: PageToken?
    @usableFromInline let size: Int
}

extension QueryInterfaceRequest {
    /// Requests a page of rows, in the order of the request.
    ///
    /// ```swift
    /// // SELECT *, ... FROM "player" ORDER BY "score" DESC, "id" DESC LIMIT 51
    /// let request = Player.order(\.score.desc)
    /// var page = try request.page(size: 50).fetch(db)
    /// // SELECT *, ... FROM "player" WHERE ("score", "id") < (?, ?) ORDER BY "score" DESC, "id" DESC LIMIT 51
    /// page = try request.page(after: page.next, size: 50).fetch(db)
    /// ```
    ///
    /// The primary key breaks ties of the order. With an index on the order, each page is found by a search, wherever
    /// it is.
    ///
    /// A token is a position in an order. It belongs to all requests on the same table, with the same joins, and with
    /// the same order, including the values in it: `order(abs(score - 5))` has other positions than
    /// `order(abs(score - 9))`. The conditions of the request may change between two pages: the next page then contains
    /// the rows that satisfy the new conditions, after the position.
    ///
    /// - Parameters:
    ///   - token: the `next` of the previous page; nil for the first page.
    ///   - size: the number of rows per page. The fetch throws an error unless it is positive.
    public func page(after token: PageToken? = nil, size: Int) -> PageRequest<RowDecoder> {
        PageRequest(relation: relation, token: token, size: size)
    }
}

extension PageRequest {
    // Inlined: the loop specialises in the user's module (benchmark keyset-page).
    @inlinable
    package func page<Decoding: RowDecoding>(
        _ db: Database, of decoding: Decoding.Type
    ) throws -> Page<RowDecoder> where Decoding.Decoded == RowDecoder {
        let rows = try start(db, decoding)
        var elements: [RowDecoder] = []
        elements.reserveCapacity(Swift.min(size, 1_000))
        while elements.count < size, let row = try rows.cursor.nextRow() {
            elements.append(try Decoding.detachedElement(of: row))
        }
        return Page(elements: elements, next: try rows.end(elements.count))
    }

    @usableFromInline
    func start<Decoding: RowDecoding>(
        _ db: Database, _ decoding: Decoding.Type
    ) throws -> PageRows<Decoding> where Decoding.Decoded == RowDecoder {
        // The size may come from a URL: it is data, and not a programming error.
        guard size > 0, size < Int.max else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "cannot make a page of \(size) rows: pass a positive size")
        }
        let order = try Keyset(db, relation)
        let request = QueryInterfaceRequest<RowDecoder>(relation: try order.relation(after: token, size: size))
        let prepared = try request.makePreparedRequest(db)
        return PageRows(
            cursor: try Decoding.cursor(db, prepared), size: size, order: order, hiddenStart: prepared.hiddenStart)
    }
}

/// The rows of a page that is being fetched.
@usableFromInline
struct PageRows<Decoding: RowDecoding> {
    @usableFromInline let cursor: FetchCursor<Decoding>
    fileprivate let size: Int
    fileprivate let order: Keyset
    /// The first column with values of the order. The keys of prefetched rows follow these columns.
    fileprivate let hiddenStart: Int

    fileprivate init(cursor: FetchCursor<Decoding>, size: Int, order: Keyset, hiddenStart: Int) {
        self.cursor = cursor
        self.size = size
        self.order = order
        self.hiddenStart = hiddenStart
    }

    /// The start of the next page, when the cursor is on the last row of this page.
    @usableFromInline
    func end(_ count: Int) throws -> PageToken? {
        guard count == size else { return nil }
        let values = order.terms.indices.map { cursor.hiddenValue(hiddenStart + $0, ofRow: size - 1) }
        return try cursor.nextRow() == nil ? nil : PageToken(values: values, order: order.fingerprint)
    }
}

/// A relation with a total order, whose terms identify the position of a row.
private struct Keyset {
    struct Term {
        var expression: SQLExpression
        var direction: SQLOrdering.Direction
        var isNullable: Bool
        var ordering: SQLOrdering { SQLOrdering(.expression(expression, direction)) }
    }

    private var base: Relation
    private(set) var terms: [Term] = []
    /// Identifies the order; equal in all processes.
    private(set) var fingerprint: UInt64 = 0

    init(_ db: Database, _ relation: Relation) throws {
        base = relation
        guard relation.limit == nil, relation.groups.isEmpty, !relation.groupsByPrimaryKey, !relation.isDistinct else {
            throw Self.misuse(
                "cannot paginate a request that has a limit, groups or distinct rows: remove them, and pass the size of pages"
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
                let expression = try relation.orderedExpression(term, resolver)
                // Unresolved, because an aggregate depends on the query that contains it.
                let isNullable = try Self.isNullable(expression, relation.source, db)
                terms.append(Term(expression: expression, direction: direction, isNullable: isNullable))
            case .symbol(.primaryKey(let direction)): try add(key, .current, direction, of: relation.source, db)
            case .literal, .symbol(.deferred):
                throw Self.misuse("cannot paginate a request that is ordered by SQL text: order it by expressions")
            }
        }
        // The direction of the last term, so one index serves both terms.
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

    /// A join may repeat a row: then the keys of the joined rows are terms as well.
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
            try add(
                resolver.primaryKey(of: relation.source), .alias(alias), direction, of: relation.source,
                isOptional: isOptional, db)
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
        return try db.uniqueKey(table.name, of: pairs.map(\.destination), in: table.schema) != nil
    }

    func relation(after token: PageToken?, size: Int) throws -> Relation {
        var result = base
        result.orderings = terms.map { $0.ordering }
        (result.isReversed, result.isStablyOrdered) = (false, false)
        result.hiddenSelection = terms.map { SQLSelection(.expression($0.expression)) }
        // One more row than the page, to know whether another page follows.
        result.limit = Relation.Limit(count: size + 1, offset: nil)
        if let token {
            guard token.order == fingerprint, token.values.count == terms.count else {
                throw Self.misuse("the page token belongs to a request with another order: start with the first page")
            }
            result.filters.append(after(token.values))
        }
        return result
    }

    /// The condition that a row comes after the row with these values.
    private func after(_ values: [DatabaseValue]) -> SQLExpression {
        let isDescending = terms[0].direction.isDescending
        if terms.allSatisfy({ !$0.isNullable && $0.direction.isDescending == isDescending }), terms.count > 1 {
            let row = SQLExpression(.tuple(terms.map(\.expression)))
            let last = SQLExpression(.tuple(values.map { SQLExpression(.value($0)) }))
            return SQLExpression(.binary(isDescending ? .less : .greater, row, last))
        }
        let after = zip(terms, values).reversed().reduce(SQLExpression?.none) { later, pair in
            let (term, value) = pair
            let strictly = term.isAfter(value)
            guard let later else { return strictly }
            let equal = SQLExpression(.binary(.isSame, term.expression, SQLExpression(.value(value))))
            return .joined([strictly, .joined([equal, later], by: .and)], by: .or)
        }
        // A bound on the first term, which enables an index search.
        guard let after, terms.count > 1, !terms[0].isNullable else { return after ?? .value(.int64(1)) }
        let bound = SQLExpression(
            .binary(
                isDescending ? .lessOrEqual : .greaterOrEqual, terms[0].expression, SQLExpression(.value(values[0]))))
        return .joined([bound, after], by: .and)
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
    /// name. The condition of the next page would read the column of the table.
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
    /// The condition that a row comes after a value, with NULL ordered as in the direction.
    func isAfter(_ value: DatabaseValue) -> SQLExpression {
        let operand = SQLExpression(.value(value))
        let isNotNull = SQLExpression(.equal(expression, .null, isNegated: true))
        let nullsFirst = direction == .none || direction == .ascending || direction == .descendingNullsFirst
        if value.isNull { return nullsFirst ? isNotNull : .value(.int64(0)) }
        let beyond = SQLExpression(.binary(direction.isDescending ? .less : .greater, expression, operand))
        guard isNullable, !nullsFirst else { return beyond }
        return .joined([beyond, isNotNull.negated], by: .or)
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
