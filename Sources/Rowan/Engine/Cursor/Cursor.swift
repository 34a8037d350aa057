// Cursors: lazy sequences whose steps can fail. The combinators follow those of Swift's lazy sequences.

/// A lazy sequence of elements that are produced, or fetched, one at a time.
///
/// ```swift
/// let cursor = try Player.fetchCursor(db)
/// while let player = try cursor.next() { print(player.name) }
/// ```
public protocol Cursor<Element>: AnyObject {
    associatedtype Element

    /// The next element, or nil when there is none.
    ///
    /// - Throws: the error of the step; don't use the cursor after it.
    func next() throws -> Element?

    /// Calls the closure with each element.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }

    /// Whether the cursor has no more element. It consumes one.
    public var isEmpty: Bool {
        get throws { try next() == nil }
    }

    /// Whether an element satisfies the predicate.
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        try first(where: predicate) != nil
    }

    /// The first element that satisfies the predicate.
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
        while let element = try next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// The elements combined from left to right.
    public func reduce<Result>(
        _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        var result = initialResult
        while let element = try next() { result = try nextPartialResult(result, element) }
        return result
    }

    /// The elements combined from left to right, in place.
    public func reduce<Result>(
        into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        while let element = try next() { try updateAccumulatingResult(&result, element) }
        return result
    }

    /// The least element by an order; the first of equals.
    public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(element, result) { result = element }
        }
        return result
    }

    /// The greatest element by an order; the first of equals.
    public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(result, element) { result = element }
        }
        return result
    }

    /// All elements but the last ones.
    public func dropLast(_ n: Int) throws -> [Element] {
        precondition(n >= 0, "can't drop a negative number of elements")
        var elements: [Element] = []
        while let element = try next() { elements.append(element) }
        return elements.dropLast(n)
    }

    /// All elements but the last.
    public func dropLast() throws -> [Element] { try dropLast(1) }

    /// The last elements, at most `maxLength`. Only those are kept in memory.
    public func suffix(_ maxLength: Int) throws -> [Element] {
        precondition(maxLength >= 0, "can't take a suffix of negative length")
        guard maxLength > 0 else {
            try forEach { _ in }
            return []
        }
        var ring: [Element] = []
        var start = 0
        while let element = try next() {
            if ring.count < maxLength {
                ring.append(element)
            } else {
                ring[start] = element
                start = (start + 1) % maxLength
            }
        }
        return Array(ring[start...] + ring[..<start])
    }
}

extension Cursor where Element: Equatable {
    /// Whether the cursor has this element.
    public func contains(_ element: Element) throws -> Bool { try contains { $0 == element } }
}

extension Cursor where Element: Comparable {
    /// The least element.
    public func min() throws -> Element? { try min(by: <) }
    /// The greatest element.
    public func max() throws -> Element? { try max(by: <) }
}

extension Cursor where Element: StringProtocol {
    /// The elements joined into one string.
    public func joined(separator: String = "") throws -> String {
        var result = ""
        var isFirst = true
        while let element = try next() {
            if !isFirst { result += separator }
            isFirst = false
            result += element
        }
        return result
    }
}

// MARK: - Filling collections

extension RangeReplaceableCollection {
    /// All the elements of a cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try append(contentsOf: cursor)
    }

    /// All the elements of a cursor, in a collection that reserves space first.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init()
        reserveCapacity(minimumCapacity)
        try append(contentsOf: cursor)
    }

    /// Appends all the elements of a cursor.
    @inlinable
    public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
        while let element = try newElements.next() { append(element) }
    }
}

extension Set {
    /// All the elements of a cursor.
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try formUnion(cursor)
    }

    /// All the elements of a cursor, in a set that reserves space first.
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// Inserts all the elements of a cursor.
    public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
        while let element = try cursor.next() { insert(element) }
    }

    /// The set with all the elements of a cursor.
    public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Keeps the elements that the cursor has too.
    public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
        self = try intersection(cursor)
    }

    /// The elements that the cursor has too.
    public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = Set<Element>()
        while let element = try cursor.next() {
            if contains(element) { result.insert(element) }
        }
        return result
    }
}

extension Dictionary {
    /// The elements of a cursor, grouped by a key.
    public init<C: Cursor>(grouping cursor: C, by keyForValue: (C.Element) throws -> Key) throws
    where Value == [C.Element] {
        try self.init(minimumCapacity: 0, grouping: cursor, by: keyForValue)
    }

    /// The elements of a cursor, grouped by a key, in a dictionary that reserves space first.
    public init<C: Cursor>(
        minimumCapacity: Int, grouping cursor: C, by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init(minimumCapacity: minimumCapacity)
        while let element = try cursor.next() { self[try keyForValue(element), default: []].append(element) }
    }

    /// The keys and values of a cursor.
    ///
    /// - Precondition: no key comes twice.
    public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
    }

    /// The keys and values of a cursor, in a dictionary that reserves space first.
    ///
    /// - Precondition: no key comes twice.
    public init(minimumCapacity: Int, uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        self.init(minimumCapacity: minimumCapacity)
        while let (key, value) = try keysAndValues.next() {
            precondition(updateValue(value, forKey: key) == nil, "duplicate key: \(key)")
        }
    }
}
