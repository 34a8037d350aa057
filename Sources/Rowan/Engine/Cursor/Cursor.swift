// Cursors: lazy sequences whose steps can throw. The combinators mirror those of Swift's lazy sequences.

/// A lazy sequence of elements that are fetched or computed one at a time.
///
/// ```swift
/// let cursor = try Player.fetchCursor(db)
/// while let player = try cursor.next() { print(player.name) }
/// ```
///
/// Article: <doc:FetchingRows>.
public protocol Cursor<Element>: AnyObject {
    /// The type of the elements.
    associatedtype Element

    /// The next element, or nil at the end.
    ///
    /// - Throws: the step's error. Don't use the cursor after an error.
    func next() throws -> Element?

    /// Calls the closure with each element.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    /// Calls the closure with each element.
    ///
    /// - Throws: the errors of the cursor and of the closure.
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }

    /// Whether the cursor has no more elements. This consumes one element.
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

    /// The minimum element by an order; the first among equal ones.
    public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(element, result) { result = element }
        }
        return result
    }

    /// The maximum element by an order; the first among equal ones.
    public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(result, element) { result = element }
        }
        return result
    }

    /// All elements except the last `n`.
    public func dropLast(_ n: Int) throws -> [Element] {
        precondition(n >= 0, "the number of elements to drop is negative: \(n)")
        var elements: [Element] = []
        while let element = try next() { elements.append(element) }
        return elements.dropLast(n)
    }

    /// All elements except the last.
    public func dropLast() throws -> [Element] { try dropLast(1) }

    /// The last elements, up to `maxLength`. Only these are kept in memory.
    public func suffix(_ maxLength: Int) throws -> [Element] {
        precondition(maxLength >= 0, "the length of the suffix is negative: \(maxLength)")
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
    /// Whether the cursor contains this element.
    public func contains(_ element: Element) throws -> Bool { try contains { $0 == element } }
}

extension Cursor where Element: Comparable {
    /// The minimum element.
    public func min() throws -> Element? { try min(by: <) }
    /// The maximum element.
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
    /// Creates a collection of all elements of a cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try append(contentsOf: cursor)
    }

    /// Creates a collection of all elements of a cursor, with reserved capacity.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init()
        reserveCapacity(minimumCapacity)
        try append(contentsOf: cursor)
    }

    /// Appends all elements of a cursor.
    @inlinable
    public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
        while let element = try newElements.next() { append(element) }
    }
}

extension Set {
    /// Creates a set of all elements of a cursor.
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try formUnion(cursor)
    }

    /// Creates a set of all elements of a cursor, with reserved capacity.
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// Inserts all elements of a cursor.
    public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
        while let element = try cursor.next() { insert(element) }
    }

    /// The union with the elements of a cursor.
    public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Keeps only the elements that the cursor also contains.
    public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
        self = try intersection(cursor)
    }

    /// The intersection with the elements of a cursor.
    public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = Set<Element>()
        while let element = try cursor.next() {
            if contains(element) { result.insert(element) }
        }
        return result
    }
}

extension Dictionary {
    /// Groups the elements of a cursor by a key.
    public init<C: Cursor>(grouping cursor: C, by keyForValue: (C.Element) throws -> Key) throws
    where Value == [C.Element] {
        try self.init(minimumCapacity: 0, grouping: cursor, by: keyForValue)
    }

    /// Groups the elements of a cursor by a key, with reserved capacity.
    public init<C: Cursor>(
        minimumCapacity: Int, grouping cursor: C, by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init(minimumCapacity: minimumCapacity)
        while let element = try cursor.next() { self[try keyForValue(element), default: []].append(element) }
    }

    /// Creates a dictionary from the pairs of a cursor.
    ///
    /// - Precondition: the keys are unique.
    public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
    }

    /// Creates a dictionary from the pairs of a cursor, with reserved capacity.
    ///
    /// - Precondition: the keys are unique.
    public init(minimumCapacity: Int, uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        self.init(minimumCapacity: minimumCapacity)
        while let (key, value) = try keysAndValues.next() {
            precondition(updateValue(value, forKey: key) == nil, "two elements have the same key")
        }
    }
}
