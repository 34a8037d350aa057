// Parts of a value that most values of its type don't have: a copy shares them, as one reference, and costs no more than
// that (benchmark request-build: each verb of a request copies its relation).

/// Parts with a value for those that are not there.
package protocol RareParts: Hashable, Sendable {
    init()
}

/// Parts that are stored apart, once some of them are set.
package struct Rare<Parts: RareParts>: Hashable, Sendable {
    package final class Box: Sendable {
        package let parts: Parts
        init(_ parts: Parts) { self.parts = parts }
    }

    /// The parts, nil if none was set. Read each from here: all of them together are many references to copy.
    package private(set) var box: Box?

    package init() {}

    /// All the parts, to change some.
    package var parts: Parts {
        get { box?.parts ?? Parts() }
        set { box = Box(newValue) }
    }

    package static func == (lhs: Rare, rhs: Rare) -> Bool { lhs.box === rhs.box || lhs.parts == rhs.parts }
    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
