// Reproducible random values. `make test` uses the seeds in the tests, which give the same values each time; `make
// stress` sets ROWAN_SEED to another seed. A failing property test prints its seed.

import Foundation

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    /// A generator with the seed of the environment variable ROWAN_SEED, or else with the test's own seed.
    init(_ ownSeed: UInt64) {
        let given = ProcessInfo.processInfo.environment["ROWAN_SEED"].flatMap { UInt64($0) }
        self.init(seed: given ?? ownSeed)
    }

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// An integer, with a preference for extreme and small ones.
    mutating func integer<T: FixedWidthInteger>(_ type: T.Type) -> T {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: [T.min, T.max, 0, 1, T.max - 1, T.min + 1].randomElement(using: &self)!
        case 1: T(truncatingIfNeeded: Int.random(in: -100...100, using: &self))
        default: T(truncatingIfNeeded: next())
        }
    }

    /// A double of any magnitude, except NaN.
    mutating func double() -> Double {
        switch Int.random(in: 0..<5, using: &self) {
        case 0:
            let extremes: [Double] = [
                0, -0.0, 1, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
                .leastNormalMagnitude, .infinity, -.infinity, 0x1p63, -0x1p63, 0x1p53 + 1,
            ]
            return extremes.randomElement(using: &self)!
        case 1: return Double(Int.random(in: -1_000...1_000, using: &self)) / 8
        default:
            let value = Double(bitPattern: next())
            return value.isNaN ? 0.5 : value
        }
    }

    mutating func string(maxLength: Int = 24) -> String {
        let alphabet: [Character] = [
            "a", "Z", "0", "9", " ", "'", "\"", "%", "\\", "\n", "\t", "\u{0}", "é", "e\u{301}", "ß", "中", "👩‍👩‍👧", "🇫🇷",
            "\u{FFFD}", "\u{10FFFF}", "-", ".", "+", "e", "?", ":",
        ]
        let length = Int.random(in: 0...maxLength, using: &self)
        return String((0..<length).map { _ in alphabet.randomElement(using: &self)! })
    }

    mutating func data(maxLength: Int = 64) -> Data {
        let length = Int.random(in: 0...maxLength, using: &self)
        return Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &self) })
    }
}
