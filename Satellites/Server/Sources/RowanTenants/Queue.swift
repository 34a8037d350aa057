// First in, first out.

/// A queue whose first element is removed in constant time.
struct Queue<Element> {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }
    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        head += 1
        if head > 64, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func filter(_ isIncluded: (Element) -> Bool) {
        elements = elements[head...].filter(isIncluded)
        head = 0
    }
}
