// A first-in, first-out queue for the waiters of a connection. Removal keeps the order. Half-spent storage is
// compacted, so both ends cost O(1) amortised.

package struct FIFO<Element> {
    private var storage: [Element?] = []
    private var head = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The elements, in order.
    package var elements: [Element] { storage[head...].compactMap { $0 } }

    package mutating func append(_ element: Element) {
        storage.append(element)
        count += 1
    }

    package mutating func popFirst() -> Element? {
        while head < storage.count {
            defer { compactIfNeeded() }
            let element = storage[head]
            storage[head] = nil
            head += 1
            if let element {
                count -= 1
                return element
            }
        }
        return nil
    }

    /// Removes and returns the first element that satisfies the predicate. Complexity: O(n).
    package mutating func remove(where predicate: (Element) -> Bool) -> Element? {
        for index in head..<storage.count {
            if let element = storage[index], predicate(element) {
                storage[index] = nil
                count -= 1
                compactIfSparse()
                return element
            }
        }
        return nil
    }

    /// Removes and returns the elements that satisfy the predicate, in order. Complexity: O(n).
    package mutating func removeAll(where predicate: (Element) -> Bool) -> [Element] {
        var (removed, kept) = ([Element](), [Element?]())
        for element in elements {
            if predicate(element) { removed.append(element) } else { kept.append(element) }
        }
        (storage, head, count) = (kept, 0, kept.count)
        return removed
    }

    /// Removes and returns all elements, in order.
    package mutating func removeAll() -> [Element] {
        defer { self = FIFO() }
        return elements
    }

    private mutating func compactIfSparse() {
        guard storage.count - head > 16, count < (storage.count - head) / 2 else { return }
        (storage, head) = (elements, 0)
    }

    private mutating func compactIfNeeded() {
        guard head > 16, head > storage.count / 2 else { return }
        storage.removeFirst(head)
        head = 0
    }
}
