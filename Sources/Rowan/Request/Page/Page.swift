// Keyset pagination: a page starts after the last row of the previous page, even if rows have changed since. Inserted
// or deleted rows don't shift pages, and the last page is as fast as the first.
// Source: https://sqlite.org/rowvalue.html#scrolling_window_queries

/// A page of rows, with the start of the next page. It is a collection of its elements: `for player in page { ... }`.
///
/// Article: <doc:BeyondTheBasics>.
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
///
/// Article: <doc:BeyondTheBasics>.
public struct PageRequest<RowDecoder>: Sendable {
    let relation: Relation
    let token: PageToken?
    @usableFromInline let size: Int
}

extension QueryInterfaceRequest {
    /// Requests a page of rows in the order of the request.
    ///
    /// ```swift
    /// // SELECT *, ... FROM "player" ORDER BY "score" DESC, "id" DESC LIMIT 51
    /// let request = Player.order(\.score.desc)
    /// var page = try request.page(size: 50).fetch(db)
    /// // SELECT *, ... FROM "player" WHERE ("score", "id") < (?, ?) ORDER BY "score" DESC, "id" DESC LIMIT 51
    /// page = try request.page(after: page.next, size: 50).fetch(db)
    /// ```
    ///
    /// The primary key breaks ties in the order. With an index on the order, each page is found by an index search,
    /// regardless of its position.
    ///
    /// A token is a position in an order. It is valid for all requests on the same table with the same joins and the
    /// same order, including its values: the positions of `order(abs(score - 5))` differ from those of
    /// `order(abs(score - 9))`. The conditions may change between two pages: the next page then contains the rows after
    /// the position that satisfy the new conditions.
    ///
    /// - Parameters:
    ///   - token: the `next` of the previous page; nil for the first page.
    ///   - size: the number of rows per page. The fetch throws a ``PageError`` if it is not positive, or if the token
    ///     belongs to another order.
    public func page(after token: PageToken? = nil, size: Int) -> PageRequest<RowDecoder> {
        PageRequest(relation: relation, token: token, size: size)
    }
}

extension PageRequest {
    // Inlined so that the loop is specialized in the user's module (benchmark keyset-page).
    @inlinable
    package func page<Decoding: RowDecoding>(
        _ db: Database, of decoding: Decoding.Type
    ) throws -> Page<RowDecoder> where Decoding.Decoded == RowDecoder {
        try SchemaMoved.retrying {
            var rows = try start(db, decoding)
            var elements: [RowDecoder] = []
            elements.reserveCapacity(Swift.min(size, 1_000))
            while elements.count < size, let row = try rows.next(after: elements.count) {
                elements.append(try Decoding.detachedElement(of: row))
            }
            return Page(elements: elements, next: try rows.end(elements.count))
        }
    }

    @usableFromInline
    func start<Decoding: RowDecoding>(
        _ db: Database, _ decoding: Decoding.Type
    ) throws -> PageRows<Decoding> where Decoding.Decoded == RowDecoder {
        // The size may come from a URL, so a bad one isn't a programming error.
        guard size > 0, size < Int.max else { throw PageError.size(size) }
        return try PageRows(db, Keyset(db, relation), after: token, size: size)
    }
}

/// The rows of a page that is being fetched, part by part.
@usableFromInline
struct PageRows<Decoding: RowDecoding> {
    @usableFromInline var cursor: FetchCursor<Decoding>
    private let db: Database
    private let order: Keyset
    private let size: Int
    /// The parts that follow the current one.
    private var parts: ArraySlice<Keyset.Part>
    /// The number of rows before the current part.
    private var partStart = 0
    /// The first column with values of the order. The keys of prefetched rows follow these columns.
    private var hiddenStart: Int

    fileprivate init(_ db: Database, _ order: Keyset, after token: PageToken?, size: Int) throws {
        (self.db, self.order, self.size) = (db, order, size)
        parts = try order.parts(after: token)[...]
        (cursor, hiddenStart) = try Self.start(db, order, parts.removeFirst(), count: size)
    }

    private static func start(
        _ db: Database, _ order: Keyset, _ part: Keyset.Part, count: Int
    ) throws -> (FetchCursor<Decoding>, hiddenStart: Int) {
        // One more row, to find out whether another page follows.
        let relation = order.relation(part, count: count + 1)
        let prepared = try QueryInterfaceRequest<Decoding.Decoded>(relation: relation).makePreparedRequest(db)
        return (try Decoding.cursor(db, prepared), prepared.hiddenStart)
    }

    /// The next row, after a number of rows of the page.
    @inlinable
    mutating func next(after count: Int) throws -> Row? {
        if let row = try cursor.nextRow() { return row }
        return try firstRowOfNextPart(after: count)
    }

    @usableFromInline
    mutating func firstRowOfNextPart(after count: Int) throws -> Row? {
        while let part = parts.popFirst() {
            (cursor, hiddenStart) = try Self.start(db, order, part, count: size - count)
            partStart = count
            if let row = try cursor.nextRow() { return row }
        }
        return nil
    }

    /// The start of the next page, when the cursor is on the last row of this page.
    @usableFromInline
    mutating func end(_ count: Int) throws -> PageToken? {
        guard count == size else { return nil }
        let values = order.terms.indices.map { index in
            PageToken.Value(cursor.hiddenColumn(hiddenStart + index, ofRow: size - 1 - partStart))
        }
        return try next(after: count) == nil ? nil : PageToken(values: values, order: order.fingerprint)
    }
}
