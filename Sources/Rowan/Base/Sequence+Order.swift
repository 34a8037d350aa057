// Sorting by a text or an integer. The compiler makes a copy of the standard library's sort (3 kB) for each type of
// elements and each comparison: here, only texts and positions are sorted.

extension Sequence<String> {
    /// The texts in order. It takes precedence over the standard library's method, of which the compiler would make
    /// copies for arrays, sets, and the keys of each type of dictionaries.
    package func sorted() -> [String] {
        var texts = Array(self)
        texts.sort()
        return texts
    }
}

extension Sequence {
    /// The elements in the order of a text. Elements with equal texts keep their order.
    package func sorted(on text: (Element) -> String) -> [Element] {
        let elements = Array(self)
        return positions(inOrderOf: elements.map(text)).map { elements[$0] }
    }

    /// The elements in the order of an integer. Elements with equal integers keep their order.
    package func sorted(on integer: (Element) -> Int) -> [Element] {
        let elements = Array(self)
        return positions(inOrderOf: elements.map(integer)).map { elements[$0] }
    }
}

private func positions(inOrderOf texts: [String]) -> [Int] {
    texts.indices.sorted { texts[$0] < texts[$1] }
}

private func positions(inOrderOf integers: [Int]) -> [Int] {
    integers.indices.sorted { integers[$0] < integers[$1] }
}
