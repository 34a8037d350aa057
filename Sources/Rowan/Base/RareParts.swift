// The parts of a value that most values of its type leave empty. They are stored behind one reference, which copies
// share (benchmark request-build: each request method copies the relation).

/// Parts that have an empty value.
package protocol RareParts: Hashable, Sendable {
    init()
}

/// Parts that take no memory until one of them is set.
package struct Rare<Parts: RareParts>: Hashable, Sendable {
    package final class Box: Sendable {
        package let parts: Parts
        init(_ parts: Parts) { self.parts = parts }
    }

    /// The parts, or nil if none is set. Read individual parts from it: copying all the parts retains many references.
    package private(set) var box: Box?

    package init() {}

    /// All the parts. Set this property to change some of them.
    package var parts: Parts {
        @inline(never)
        get { box?.parts ?? Parts() }
        set { box = Box(newValue) }
    }

    package static func == (lhs: Rare, rhs: Rare) -> Bool { lhs.box === rhs.box || lhs.parts == rhs.parts }
    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
