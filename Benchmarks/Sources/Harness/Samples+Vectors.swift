// Generated on demand, because only one workload needs them.
extension Samples {
    /// The number of elements of a vector.
    public static let dimension = 128

    /// The elements of the given number of vectors, one after another.
    public func vectors(_ count: Int) -> [Float] {
        var random = SplitMix64(seed: 11)
        return (0..<count * Self.dimension).map { _ in .random(in: -1...1, using: &random) }
    }

    /// Vectors to search for, which are not stored.
    public func vectorSearches(_ count: Int) -> [[Float]] {
        var random = SplitMix64(seed: 13)
        return (0..<count).map { _ in (0..<Self.dimension).map { _ in .random(in: -1...1, using: &random) } }
    }
}
