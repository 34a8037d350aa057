// A first-in, first-out queue for the waiters of a connection. Removal keeps the order. Half-spent storage is
// compacted, so both ends cost O(1) amortised.

package struct FIFO<Element> {
    /// The position of an element in the order of arrival.
    package typealias Ticket = Int

    private var storage: [(ticket: Ticket, element: Element?)] = []
    private var head = 0
    private var nextTicket = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The elements, in order.
    package var elements: [Element] { storage[head...].compactMap(\.element) }

    /// - Returns: the ticket for removing the element.
    @discardableResult
    package mutating func append(_ element: Element) -> Ticket {
        defer { nextTicket += 1 }
        storage.append((nextTicket, element))
        count += 1
        return nextTicket
    }

    package mutating func popFirst() -> Element? {
        while head < storage.count {
            defer { compactIfNeeded() }
            let element = storage[head].element
            storage[head].element = nil
            head += 1
            if let element {
                count -= 1
                return element
            }
        }
        return nil
    }

    /// Removes and returns the element with a ticket; nil if it has been removed. Complexity: O(log n) amortised.
    package mutating func remove(_ ticket: Ticket) -> Element? {
        // Tickets are sorted.
        var (low, high) = (head, storage.count)
        while low < high {
            let middle = (low + high) / 2
            if storage[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        guard low < storage.count, storage[low].ticket == ticket else { return nil }
        return remove(at: low)
    }

    /// Removes and returns the first element that satisfies the predicate. Complexity: O(n).
    package mutating func remove(where predicate: (Element) -> Bool) -> Element? {
        let index = storage[head...].firstIndex { $0.element.map(predicate) ?? false }
        return index.flatMap { remove(at: $0) }
    }

    private mutating func remove(at index: Int) -> Element? {
        guard let element = storage[index].element else { return nil }
        storage[index].element = nil
        count -= 1
        compactIfSparse()
        return element
    }

    /// Removes and returns the elements that satisfy the predicate, in order. Complexity: O(n).
    package mutating func removeAll(where predicate: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        storage = storage[head...].filter { entry in
            guard let element = entry.element, predicate(element) else { return entry.element != nil }
            removed.append(element)
            return false
        }
        (head, count) = (0, storage.count)
        return removed
    }

    /// Removes and returns all elements, in order.
    package mutating func removeAll() -> [Element] {
        defer { (storage, head, count) = ([], 0, 0) }
        return elements
    }

    private mutating func compactIfSparse() {
        guard storage.count - head > 16, count < (storage.count - head) / 2 else { return }
        (storage, head) = (storage[head...].filter { $0.element != nil }, 0)
    }

    private mutating func compactIfNeeded() {
        guard head > 16, head > storage.count / 2 else { return }
        storage.removeFirst(head)
        head = 0
    }
}
