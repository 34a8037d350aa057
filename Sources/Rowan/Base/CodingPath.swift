// The position of a decoder or an encoder, as a list that shares its tail: a path costs one allocation per container
// and nothing per property.

/// The keys that lead to a container.
package final class CodingPath: Sendable {
    private let parent: CodingPath?
    private let key: any CodingKey

    package init(_ parent: CodingPath?, _ key: some CodingKey) {
        self.parent = parent
        self.key = key
    }

    /// The keys, from the outermost.
    package var keys: [any CodingKey] { (parent?.keys ?? []) + [key] }
}

/// A key without its own type, for an element of an array or for a superclass.
package struct PlainCodingKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}

extension CodingPath? {
    /// The keys, from the outermost; empty for the root.
    package var keys: [any CodingKey] { self?.keys ?? [] }
}
