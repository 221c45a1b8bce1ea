import TestSupport

/// Random numbers that are reproducible by a seed. The scheduling differs each time.
struct Dice: RandomNumberGenerator, Sendable {
    /// `AMALGAM_STRESS_SEED` of the environment, otherwise a random seed. Failures report it.
    static let seed = environment("AMALGAM_STRESS_SEED").flatMap(UInt64.init) ?? UInt64.random(in: 1...999_999)

    private var state: UInt64

    /// - Parameter actor: Selects a separate sequence of numbers.
    init(actor: Int) {
        state = Self.seed &* 1_000_003 &+ UInt64(actor)
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in `count` times, on average.
    mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
