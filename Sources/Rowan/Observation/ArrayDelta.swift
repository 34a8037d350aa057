// The difference of two arrays whose elements have keys: the changes to make in a list on a screen, or in a copy
// elsewhere.

/// The difference between two values of an observation, element by element.
///
/// ```swift
/// for try await delta in ValueObservation.tracking(Player.order(\.score).fetchAll).deltas().values(in: dbPool) {
///     for deletion in delta.deletions { list.remove(deletion.element.id) }
///     for update in delta.updates { list.update(update.new) }
/// }
/// ```
///
/// As in updates of lists on a screen, the indices of deletions and the start indices of moves refer to the array
/// before the changes; all other indices refer to the array after the changes.
public struct ArrayDelta<Element: Sendable>: Sendable {
    /// An element at an index.
    public struct Position: Sendable {
        /// The index in the array before or after the changes.
        public let index: Int
        /// The deleted or inserted element.
        public let element: Element
    }

    /// An element that has changed its order among those neither inserted nor deleted.
    public struct Move: Sendable {
        /// The index before the changes.
        public let from: Int
        /// The index after the changes.
        public let to: Int
        /// The element after the changes.
        public let element: Element
    }

    /// An element with the same key but changed content. It may also have moved.
    public struct Update: Sendable {
        /// The index after the changes.
        public let index: Int
        /// The element before the changes.
        public let old: Element
        /// The element after the changes.
        public let new: Element
    }

    /// All elements after the changes.
    public let elements: [Element]
    /// The elements whose keys have disappeared, with their indices before the changes, in ascending order.
    public let deletions: [Position]
    /// The elements with new keys, with their indices after the changes, in ascending order.
    public let insertions: [Position]
    /// The moved elements, in the order of their indices after the changes. If keys are distinct, there are as few as
    /// possible.
    public let moves: [Move]
    /// The changed elements, in the order of their indices after the changes.
    public let updates: [Update]

    /// Whether nothing has changed.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }

    /// Applies the changes to an array.
    ///
    /// - Precondition: the array contains the elements before the changes.
    /// - Complexity: O(N).
    public func apply(to array: inout [Element]) {
        precondition(
            array.count == elements.count + deletions.count - insertions.count,
            "the delta belongs to an array of \(elements.count + deletions.count - insertions.count) elements, "
                + "not of \(array.count)")
        var leaving = Set(deletions.map(\.index))
        leaving.formUnion(moves.map(\.from))
        var staying = array.indices.lazy.filter { !leaving.contains($0) }.makeIterator()
        var arriving = Dictionary(uniqueKeysWithValues: insertions.map { ($0.index, $0.element) })
        for move in moves { arriving[move.to] = move.element }
        var result = elements.indices.map { index in arriving[index] ?? array[staying.next()!] }
        for update in updates { result[update.index] = update.new }
        array = result
    }
}

extension ArrayDelta {
    /// The difference of two arrays. If several elements have the same key, the first in one array is compared with the
    /// first in the other, and so on.
    ///
    /// - Complexity: O(N) if no element has moved; otherwise, O(N log N).
    package init<Key: Hashable & Sendable>(
        from old: [Element], to new: [Element], by key: (Element) -> Key, areEqual: (Element, Element) -> Bool
    ) {
        // The first old index of each key that has no counterpart yet, and the following index of the same key.
        var first: [Key: Int] = [:]
        first.reserveCapacity(old.count)
        var following = [Int](repeating: -1, count: old.count)
        for index in old.indices.reversed() {
            following[index] = first.updateValue(index, forKey: key(old[index])) ?? -1
        }
        var isMatched = [Bool](repeating: false, count: old.count)
        var (pairs, insertions, updates) = ([(from: Int, to: Int)](), [Position](), [Update]())
        for (index, element) in new.enumerated() {
            let key = key(element)
            guard let oldIndex = first[key], oldIndex >= 0 else {
                insertions.append(Position(index: index, element: element))
                continue
            }
            first[key] = following[oldIndex]
            isMatched[oldIndex] = true
            pairs.append((oldIndex, index))
            if !areEqual(old[oldIndex], element) {
                updates.append(Update(index: index, old: old[oldIndex], new: element))
            }
        }
        elements = new
        self.insertions = insertions
        self.updates = updates
        deletions = old.indices.lazy.filter { !isMatched[$0] }.map { Position(index: $0, element: old[$0]) }
        let staying = longestIncreasingSubsequence(of: pairs.map(\.from))
        moves = zip(pairs, staying).lazy.filter { !$1 }.map { pair, _ in
            Move(from: pair.from, to: pair.to, element: new[pair.to])
        }
    }
}

/// Whether each of the distinct numbers belongs to a longest increasing subsequence. Complexity: O(N log N), or O(N) if
/// all numbers are in increasing order.
private func longestIncreasingSubsequence(of numbers: [Int]) -> [Bool] {
    /// At n: the index of the smallest number that ends an increasing subsequence of n + 1 numbers.
    var ends: [Int] = []
    /// For each number, the index of its predecessor in the subsequence that it ends.
    var previous = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
        var (low, high) = (0, ends.count)
        if let last = ends.last, numbers[last] < number { low = high }
        while low < high {
            let middle = (low + high) / 2
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        if low > 0 { previous[index] = ends[low - 1] }
        if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var isMember = [Bool](repeating: false, count: numbers.count)
    var index = ends.last ?? -1
    while index >= 0 {
        isMember[index] = true
        index = previous[index]
    }
    return isMember
}

// MARK: - Observing

extension ValueReducers {
    /// Delivers the differences of arrays.
    public struct Deltas<Base: ValueReducer, Element: Sendable, Key: Hashable & Sendable>: ValueReducer
    where Base.Value == [Element] {
        var base: Base
        let key: @Sendable (Element) -> Key
        let areEqual: @Sendable (Element, Element) -> Bool
        private var previous: [Element]?

        init(
            base: Base, key: @escaping @Sendable (Element) -> Key,
            areEqual: @escaping @Sendable (Element, Element) -> Bool
        ) {
            (self.base, self.key, self.areEqual) = (base, key, areEqual)
        }

        /// True.
        public static var _continuesPrevious: Bool { true }

        /// The difference from the previous array, or nil if there is none.
        public mutating func _value(_ fetched: Base.Fetched) throws -> ArrayDelta<Element>? {
            guard let elements = try base._value(fetched) else { return nil }
            let delta = ArrayDelta(from: previous ?? [], to: elements, by: key, areEqual: areEqual)
            defer { previous = elements }
            return previous != nil && delta.isEmpty ? nil : delta
        }
    }
}

extension ValueObservation where Reducer: ValueReducer {
    /// Delivers changes, element by element, instead of whole arrays.
    ///
    /// The first delta has all elements as insertions. Later deltas are skipped if nothing has changed.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking(Player.order(\.name).fetchAll).deltas()
    /// let cancellable = observation.start(in: dbPool) { error in … } onChange: { delta in
    ///     delta.apply(to: &players)
    /// }
    /// ```
    ///
    /// Each delta continues the previous one, so `values(in:)` by default keeps all of them in memory for a slow loop.
    /// A program that misses some, because it has joined a shared observation or buffers only the newest value, finds
    /// all elements in ``ArrayDelta/elements``.
    ///
    /// - Complexity: O(N) for each delta, where N is the number of elements; O(N log N) if elements have moved.
    public func deltas<Element: Identifiable & Equatable & Sendable>() -> ValueObservation<
        ValueReducers.Deltas<Reducer, Element, Element.ID>
    > where Reducer.Value == [Element] {
        deltas(by: \.id)
    }

    /// Delivers changes of elements with another key, such as values.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in
    ///     try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
    /// }.deltas { name in name }
    /// ```
    ///
    /// - Parameter key: the key of an element. Elements with the same key are distinguished by their order.
    public func deltas<Element: Equatable & Sendable, Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key
    ) -> ValueObservation<ValueReducers.Deltas<Reducer, Element, Key>> where Reducer.Value == [Element] {
        deltas(by: key) { $0 == $1 }
    }

    /// Delivers changes of elements that are compared in another way.
    public func deltas<Element: Sendable, Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key, areEqual: @escaping @Sendable (Element, Element) -> Bool
    ) -> ValueObservation<ValueReducers.Deltas<Reducer, Element, Key>> where Reducer.Value == [Element] {
        with { ValueReducers.Deltas(base: $0, key: key, areEqual: areEqual) }
    }
}
