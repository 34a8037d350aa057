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
}
