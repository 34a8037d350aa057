/// The values of all tables and keys: the same in each process and on each side.
public struct Samples: Sendable {
    public let ints: [IntsSample]
    public let places: [PlaceSample]
    /// Identifiers of places, in random order.
    public let keys: [Int64]

    public init(dividedBy divisor: Int = 1) {
        var random = SplitMix64(seed: 42)
        ints = (0..<200_000 / divisor).map { IntsSample(number: $0, using: &random) }
        places = (0..<100_000 / divisor).map { PlaceSample(number: $0, using: &random) }
        keys = (0..<100_000 / divisor).map { _ in Int64.random(in: 1...Int64(100_000 / divisor), using: &random) }
    }
}

extension Samples {
    /// A script that inserts rows of ten integers, each with its own statement.
    public func script(_ count: Int) -> String {
        ints.prefix(count).map { sample in
            let values = sample.values.map(String.init).joined(separator: ", ")
            return "INSERT INTO ints (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9) VALUES (\(values));\n"
        }.joined()
    }
}

/// A row of ten integers.
public struct IntsSample: Sendable {
    /// Ten values, of all sizes that SQLite stores, including zeros.
    public let values: [Int64]

    init(number: Int, using random: inout SplitMix64) {
        values = [
            Int64(number),
            Int64.random(in: 0..<10, using: &random),
            Int64.random(in: 0..<1_000, using: &random),
            Int64.random(in: 0..<1_000_000, using: &random),
            Int64.random(in: 0..<1_000_000, using: &random),
            Int64.random(in: 0..<1_000_000, using: &random),
            Int64.random(in: -500_000..<500_000, using: &random),
            Int64.random(in: 0..<2_000_000_000, using: &random),
            Int64.random(in: 0..<2_000_000_000_000, using: &random),
            Int64.random(in: .min ... .max, using: &random),
        ]
    }
}

public struct PlaceSample: Sendable {
    public let title: String
    public let isFavorite: Bool
    public let latitude: Double
    public let longitude: Double
    public let note: String?
    public let millisecondsSince1970: Int64

    public var secondsSince1970: Double { Double(millisecondsSince1970) / 1000 }

    init(number: Int, using random: inout SplitMix64) {
        // Half of the titles fit in the 15 bytes of a small string; some are not ASCII.
        let kind = ["Café", "Museum", "Parc", "Bibliothèque municipale", "Harbour and lighthouse"]
        title = "\(kind.randomElement(using: &random)!) \(number)"
        isFavorite = Bool.random(using: &random)
        latitude = Double.random(in: -90...90, using: &random)
        longitude = Double.random(in: -180...180, using: &random)
        note = Bool.random(using: &random) ? "Recommended by \(number % 977) visitors, open all year" : nil
        // From 1970 to 2033.
        millisecondsSince1970 = Int64.random(in: 0..<2_000_000_000_000, using: &random)
    }
}

/// The generator by Steele, Lea and Flood: a seed gives the same numbers everywhere.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
