// Pages by key: a page starts after the last row of the one before, wherever that row stands by then. Rows that are
// inserted or deleted meanwhile move no page, and the last page costs what the first one does.
// Source: https://sqlite.org/rowvalue.html#scrolling_window_queries

import Foundation

/// A page of rows, and where the next one starts.
public struct Page<Element> {
    /// The elements of the page.
    public var elements: [Element]
    /// Where the next page starts, nil after the last page.
    public var next: PageToken?
}

extension Page: Sendable where Element: Sendable {}
extension Page: Equatable where Element: Equatable {}

/// Where a page starts: after the row that has these values in the order of the request.
///
/// A token is one string when it is encoded, for a URL or a JSON answer. It belongs to the order of its request: a
/// request in another order refuses it.
public struct PageToken: Hashable, Sendable {
    /// The values of the ordering terms in the last row of the page.
    let values: [DatabaseValue]
    /// The order that the values belong to.
    let order: UInt64
}

/// A request of one page.
public struct PageRequest<RowDecoder>: Sendable {
    let relation: Relation
    let token: PageToken?
    let size: Int
}

extension QueryInterfaceRequest {
    /// A page of the rows, in the order of the request, after another page.
    ///
    /// ```swift
    /// // SELECT *, ... FROM "player" ORDER BY "score" DESC, "id" DESC LIMIT 51
    /// let request = Player.order(\.score.desc)
    /// var page = try request.page(size: 50).fetch(db)
    /// // SELECT *, ... FROM "player" WHERE ("score", "id") < (?, ?) ORDER BY "score" DESC, "id" DESC LIMIT 51
    /// page = try request.page(after: page.next, size: 50).fetch(db)
    /// ```
    ///
    /// The primary key settles what the order leaves open. Give the order an index: each page is then a search, however
    /// far it is.
    ///
    /// - Parameters:
    ///   - token: the `next` of the page before; nil for the first page.
    ///   - size: the number of rows of a page, 1 at least. Fetching throws for another number.
    public func page(after token: PageToken? = nil, size: Int) -> PageRequest<RowDecoder> {
        PageRequest(relation: relation, token: token, size: size)
    }
}

extension PageRequest where RowDecoder: RowDecodable {
    /// The page.
    ///
    /// - Throws: a ``DatabaseError``; SQLITE_MISUSE for a size that is not positive, for the token of another order, and
    ///   for requests that have a limit or groups, or an order in SQL text.
    public func fetch(_ db: Database) throws -> Page<RowDecoder> {
        // The size may come from a URL: it is data, not a mistake of the programmer.
        guard size > 0, size < Int.max else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a page can't have \(size) rows")
        }
        let query = try Keyset(db, relation)
        let request = QueryInterfaceRequest<RowDecoder>(relation: try query.relation(after: token, size: size))
        let prepared = try request.makePreparedRequest(db)
        let rows = try PrefetchedQuery.rows(db, prepared)
        let elements = try (0..<min(size, rows.count)).map { try RowDecoder.detachedElement(of: rows.row(at: $0)) }
        guard rows.count > size else { return Page(elements: elements, next: nil) }
        let shape = prepared.adapter as? RowShape
        let start = prepared.statement.columnCount - (shape?.hiddenCount ?? 0)
        let values = query.terms.indices.map { rows.value(start + $0, ofRow: size - 1) }
        return Page(elements: elements, next: PageToken(values: values, order: query.fingerprint))
    }
}

/// A relation in a total order, whose terms tell where a row stands.
private struct Keyset {
    struct Term {
        var expression: SQLExpression
        var direction: SQLOrdering.Direction
        var isNullable: Bool
    }

    let base: Relation
    private(set) var terms: [Term] = []

    init(_ db: Database, _ relation: Relation) throws {
        base = relation
        guard relation.limit == nil, relation.groups.isEmpty, !relation.groupsByPrimaryKey, !relation.isDistinct else {
            throw Self.misuse("a request with a limit, groups or distinct rows has no pages")
        }
        let joinedOrder = relation.joins.contains { !$0.step.relation.orderings.isEmpty }
        guard !joinedOrder else {
            throw Self.misuse("a page needs its order in one place: use table aliases to order by joined columns")
        }
        let resolver = Resolver(db).inside(relation)
        var orderings = try relation.orderings.flatMap { clause -> [SQLOrdering] in
            switch clause {
            case .term(let term): try resolver.resolve(term)
            case .deferred(let deferred): try deferred.terms(db).flatMap(resolver.resolve)
            }
        }
        if relation.isReversed { orderings = orderings.map(\.reversed) }
        let key = try resolver.primaryKey(of: relation.source)
        for ordering in orderings {
            guard case .expression(let expression, let direction) = ordering.node else {
                throw Self.misuse("an order in SQL text has no pages: order by expressions instead")
            }
            let isNullable = try Self.isNullable(expression, relation.source, key, db)
            terms.append(Term(expression: expression, direction: direction, isNullable: isNullable))
        }
        // In the direction of the last term, so that one index serves both.
        let direction: SQLOrdering.Direction = (terms.last?.direction.isDescending ?? false) ? .descending : .none
        for column in key where !terms.contains(where: { $0.expression.isColumn(column) }) {
            terms.append(
                Term(expression: Resolver.column(column), direction: direction, isNullable: false))
        }
    }

    /// What the order is: the same in all processes.
    var fingerprint: UInt64 {
        var renderer = Renderer()
        renderer.write(list: terms) { $0.write(SQLOrdering(.expression($1.expression, $1.direction))) }
        // FNV-1a. <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>
        return renderer.sql.string.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    func relation(after token: PageToken?, size: Int) throws -> Relation {
        var result = base
        result.orderings = terms.map { .term(SQLOrdering(.expression($0.expression, $0.direction))) }
        (result.isReversed, result.isStablyOrdered) = (false, false)
        result.hiddenSelection = terms.map { SQLSelection(.expression($0.expression)) }
        // One more than the page: it tells whether there is another one.
        result.limit = Relation.Limit(count: size + 1, offset: nil)
        if let token {
            guard token.order == fingerprint, token.values.count == terms.count else {
                throw Self.misuse("the page token belongs to a request in another order")
            }
            result.filters.append(.term(after(token.values)))
        }
        return result
    }

    /// The condition that a row comes after the one that has those values.
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
        // A bound on the first term, which an index can search.
        guard let after, terms.count > 1, !terms[0].isNullable else { return after ?? .value(.int64(1)) }
        let bound = SQLExpression(
            .binary(
                isDescending ? .lessOrEqual : .greaterOrEqual, terms[0].expression, SQLExpression(.value(values[0]))))
        return .joined([bound, after], by: .and)
    }

    private static func isNullable(
        _ expression: SQLExpression, _ source: Source, _ key: [String], _ db: Database
    ) throws -> Bool {
        guard case .table(let table) = source, case .column(let name, .current) = expression.node else { return true }
        if try db.primaryKey(table.name, in: table.schema).rowIDColumn?.isSameDatabaseName(as: name) ?? false {
            return false
        }
        return try !db.columns(in: table.name, in: table.schema)
            .contains { $0.name.isSameDatabaseName(as: name) && $0.isNotNull }
    }

    private static func misuse(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: message)
    }
}

extension Keyset.Term {
    /// The condition that a row comes after a value, where NULL stands as the direction says.
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
    fileprivate func isColumn(_ name: String) -> Bool {
        if case .column(let column, .current) = node { column.isSameDatabaseName(as: name) } else { false }
    }
}

// MARK: - The token as a string

extension PageToken: Codable {
    public init(from decoder: any Decoder) throws {
        let string = try decoder.singleValueContainer().decode(String.self)
        guard let token = PageToken(string) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "this is no page token"))
        }
        self = token
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension PageToken: LosslessStringConvertible {
    /// The token of a string, nil if the string is none.
    public init?(_ description: String) {
        var base64 = description.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64),
            let content = try? JSONDecoder().decode(Content.self, from: data)
        else { return nil }
        order = content.order
        values = content.values.map(\.value)
    }

    /// The token as one string of letters, digits, `-` and `_`.
    public var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Integers, texts and base64 always encode; a double that JSON has no word for is its bits.
        let data = try? encoder.encode(Content(order: order, values: values.map(Content.Value.init)))
        return (data ?? Data()).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    private struct Content: Codable {
        enum Value: Codable {
            case null
            case integer(Int64)
            case doubleBits(UInt64)
            case text(String)
            case blob(Data)

            init(_ value: DatabaseValue) {
                self =
                    switch value.storage {
                    case .null: .null
                    case .int64(let integer): .integer(integer)
                    case .double(let double): .doubleBits(double.bitPattern)
                    case .string(let text): .text(text)
                    case .blob(let data): .blob(data)
                    }
            }

            var value: DatabaseValue {
                let storage: DatabaseValue.Storage =
                    switch self {
                    case .null: .null
                    case .integer(let integer): .int64(integer)
                    case .doubleBits(let bits): .double(Double(bitPattern: bits))
                    case .text(let text): .string(text)
                    case .blob(let data): .blob(data)
                    }
                return DatabaseValue(storage: storage)
            }
        }

        var order: UInt64
        var values: [Value]
    }
}
