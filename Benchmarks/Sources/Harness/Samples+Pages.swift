/// A searchable text.
public struct PageSample: Sendable {
    public let title: String
    public let body: String
}

// Generated on demand, because only the full-text workloads need them.
extension Samples {
    /// Texts of a few thousand words, some of them frequent.
    public func pages(_ count: Int) -> [PageSample] {
        var random = SplitMix64(seed: 7)
        return (0..<count).map { _ in
            PageSample(title: Self.words(4, using: &random), body: Self.words(24, using: &random))
        }
    }

    /// Two words of a text, repeatedly for different texts.
    public func searches(_ count: Int, inPages pageCount: Int) -> [String] {
        let pages = pages(pageCount)
        return (0..<count).map { number in
            let words = pages[number * 7919 % pageCount].body.split(separator: " ")
            return "\(words[3]) \(words[17])"
        }
    }

    private static func words(_ count: Int, using random: inout SplitMix64) -> String {
        (0..<count).map { _ in
            // The product of two numbers is more often small.
            word(Int.random(in: 0..<100, using: &random) * Int.random(in: 0..<80, using: &random))
        }.joined(separator: " ")
    }

    /// A word for a number, such as `bakedo`.
    private static func word(_ number: Int) -> String {
        let syllables = [
            "ba", "ke", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "xo", "zu", "\u{e9}t",
        ]
        var word = ""
        var rest = number + 16
        while rest > 0 {
            word += syllables[rest % 16]
            rest /= 16
        }
        return word
    }
}
