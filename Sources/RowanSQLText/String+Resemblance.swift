// Names that resemble an unknown one.

extension String {
    /// The most likely spelling of a misspelled name; nil if none is close. A name of one letter resembles no other,
    /// and comparing long names takes quadratic time: both may come from an untrusted file.
    package func nearest(in names: some Sequence<String>) -> String? {
        guard 2...100 ~= count else { return nil }
        let word = Array(lowercased())
        let tolerance = Swift.max(1, word.count / 3)
        var nearest: (name: String, distance: Int)?
        for name in names where name.count - tolerance <= word.count && word.count <= name.count + tolerance {
            let distance = word.editDistance(to: Array(name.lowercased()))
            if distance <= tolerance, distance < nearest?.distance ?? .max { nearest = (name, distance) }
        }
        return nearest?.name
    }
}

extension [Character] {
    /// The number of insertions, deletions, replacements and swaps of adjacent characters that turn one word into the
    /// other.
    fileprivate func editDistance(to other: [Character]) -> Int {
        var (before, previous) = ([Int](), Array<Int>(0...other.count))
        for i in indices {
            var row = [i + 1]
            for j in other.indices {
                var distance = Swift.min(row[j] + 1, previous[j + 1] + 1, previous[j] + (self[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, self[i] == other[j - 1], self[i - 1] == other[j] {
                    distance = Swift.min(distance, before[j - 1] + 1)
                }
                row.append(distance)
            }
            (before, previous) = (previous, row)
        }
        return previous[other.count]
    }
}
