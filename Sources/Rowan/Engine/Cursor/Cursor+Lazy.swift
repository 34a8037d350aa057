// The lazy combinators of cursors, and the cursors they return. `next()` calls the `next()` of the base cursor, and
// `forEach(_:)` its `forEach(_:)`, which the base may implement more efficiently. Only the prefixes call `next()` in
// both cases, because they stop before their base does.

extension Cursor {
    /// The elements that satisfy a predicate.
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
    }

    /// The transformed elements.
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        MapCursor(self, transform)
    }

    /// The transformed elements, without nil results.
    public func compactMap<T>(
        _ transform: @escaping (Element) throws -> T?
    ) -> MapCursor<FilterCursor<MapCursor<Self, T?>>, T> {
        map(transform).filter { $0 != nil }.map { $0! }
    }

    /// The elements of the sequences that the closure returns.
    public func flatMap<Segment: Sequence>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<Segment.Element>>> {
        FlattenCursor(map { AnyCursor(try transform($0)) })
    }

    /// The elements of the cursors that the closure returns.
    public func flatMap<Segment: Cursor>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<Self, Segment>> {
        FlattenCursor(map(transform))
    }

    /// The elements with their positions: (0, a), (1, b)…
    public func enumerated() -> EnumeratedCursor<Self> { EnumeratedCursor(self) }

    /// All elements except the first `n`.
    public func dropFirst(_ n: Int) -> DropFirstCursor<Self> { DropFirstCursor(self, n) }

    /// All elements except the first.
    public func dropFirst() -> DropFirstCursor<Self> { dropFirst(1) }

    /// The elements starting from the first that does not satisfy the predicate.
    public func drop(while predicate: @escaping (Element) throws -> Bool) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate)
    }

    /// The first elements, up to `maxLength`.
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> { PrefixCursor(self, maxLength) }

    /// The elements before the first that does not satisfy the predicate.
    public func prefix(while predicate: @escaping (Element) throws -> Bool) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate)
    }
}

extension Cursor where Element: Sequence {
    /// The elements of all elements, which are sequences.
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> { flatMap { $0 } }
}

extension Cursor where Element: Cursor {
    /// The elements of all elements, which are cursors.
    public func joined() -> FlattenCursor<Self> { FlattenCursor(self) }
}

extension Sequence {
    /// The elements of the cursors that the closure returns.
    public func flatMap<Segment: Cursor>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<AnyCursor<Element>, Segment>> {
        AnyCursor(self).flatMap(transform)
    }
}

/// A type-erased cursor over another cursor, a sequence, an iterator or a closure.
public final class AnyCursor<Element>: Cursor {
    private let step: () throws -> Element?
    /// Visits the elements of another cursor with its own `forEach(_:)`; nil for other elements.
    private let walk: (((Element) throws -> Void) throws -> Void)?

    /// Creates a cursor that calls the closure for each element until it returns nil.
    public init(_ body: @escaping () throws -> Element?) {
        step = body
        walk = nil
    }

    /// Creates a cursor that hides the type of another cursor.
    public init(_ cursor: some Cursor<Element>) {
        step = { try cursor.next() }
        walk = { try cursor.forEach($0) }
    }

    /// Creates a cursor over the elements of a sequence.
    public convenience init(_ sequence: some Sequence<Element>) { self.init(iterator: sequence.makeIterator()) }

    /// Creates a cursor over the elements of an iterator.
    public convenience init(iterator: some IteratorProtocol<Element>) {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// The next element, or nil at the end.
    public func next() throws -> Element? { try step() }

    /// Calls the closure with each element.
    public func forEach(_ body: (Element) throws -> Void) throws {
        if let walk { return try walk(body) }
        while let element = try step() { try body(element) }
    }
}

/// The elements of a cursor that satisfy a predicate.
public final class FilterCursor<Base: Cursor>: Cursor {
    private let base: Base
    private let isIncluded: (Base.Element) throws -> Bool

    init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }

    /// The next element that satisfies the predicate, or nil at the end.
    public func next() throws -> Base.Element? { try base.first(where: isIncluded) }

    /// Calls the closure with each element that satisfies the predicate.
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        try base.forEach { if try isIncluded($0) { try body($0) } }
    }
}

/// The transformed elements of a cursor.
public final class MapCursor<Base: Cursor, Element>: Cursor {
    private let base: Base
    private let transform: (Base.Element) throws -> Element

    init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
        self.base = base
        self.transform = transform
    }

    /// The next transformed element, or nil at the end.
    public func next() throws -> Element? { try base.next().map(transform) }

    /// Calls the closure with each transformed element.
    public func forEach(_ body: (Element) throws -> Void) throws {
        try base.forEach { try body(transform($0)) }
    }
}

/// The elements of a cursor's elements.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
    private let base: Base
    private var current: Base.Element?

    init(_ base: Base) { self.base = base }

    /// The next element of the nested cursors, or nil at the end.
    public func next() throws -> Base.Element.Element? {
        while true {
            if let element = try current?.next() { return element }
            current = try base.next()
            if current == nil { return nil }
        }
    }

    /// Calls the closure with each element of the nested cursors.
    public func forEach(_ body: (Base.Element.Element) throws -> Void) throws {
        try current?.forEach(body)
        current = nil
        try base.forEach { nested in
            // If the closure throws an error, the rest of the nested cursor follows.
            current = nested
            try nested.forEach(body)
        }
        current = nil
    }
}

/// The elements of a cursor with their positions.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var index = 0

    init(_ base: Base) { self.base = base }

    /// The next position and element, or nil at the end.
    public func next() throws -> (Int, Base.Element)? {
        guard let element = try base.next() else { return nil }
        defer { index += 1 }
        return (index, element)
    }

    /// Calls the closure with each position and element.
    public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
        try base.forEach { element in
            defer { index += 1 }
            try body((index, element))
        }
    }
}

/// All elements of a cursor except the first ones.
public final class DropFirstCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var remaining: Int

    init(_ base: Base, _ count: Int) {
        precondition(count >= 0, "the number of elements to drop is negative: \(count)")
        self.base = base
        remaining = count
    }

    /// The next element, or nil at the end.
    public func next() throws -> Base.Element? {
        while remaining > 0 {
            remaining -= 1
            if try base.next() == nil {
                remaining = 0
                return nil
            }
        }
        return try base.next()
    }

    /// Calls the closure with each element after the first ones.
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        try base.forEach { element in
            guard remaining == 0 else {
                remaining -= 1
                return
            }
            try body(element)
        }
        remaining = 0
    }
}

/// The elements of a cursor starting from the first that does not satisfy a predicate.
public final class DropWhileCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var predicate: ((Base.Element) throws -> Bool)?

    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// The next element, or nil at the end.
    public func next() throws -> Base.Element? {
        guard let predicate else { return try base.next() }
        self.predicate = nil
        return try base.first { try !predicate($0) }
    }

    /// Calls the closure with each element starting from the first that does not satisfy the predicate.
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        try base.forEach { element in
            if let predicate {
                if try predicate(element) { return }
                self.predicate = nil
            }
            try body(element)
        }
        predicate = nil
    }
}

/// The first elements of a cursor.
public final class PrefixCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var remaining: Int

    init(_ base: Base, _ maxLength: Int) {
        precondition(maxLength >= 0, "the length of the prefix is negative: \(maxLength)")
        self.base = base
        remaining = maxLength
    }

    /// The next element, or nil at the end.
    public func next() throws -> Base.Element? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        return try base.next()
    }
}

/// The elements of a cursor before the first that does not satisfy a predicate.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var predicate: ((Base.Element) throws -> Bool)?

    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// The next element, or nil at the end.
    public func next() throws -> Base.Element? {
        guard let predicate, let element = try base.next() else { return nil }
        if try predicate(element) { return element }
        self.predicate = nil
        return nil
    }
}
