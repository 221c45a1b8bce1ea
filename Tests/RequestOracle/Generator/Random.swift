/// Pseudorandom numbers that are reproducible by a seed: SplitMix64.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x2545_F491_4F6C_DD1D &+ 1 }

    mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) % UInt64(limit))
    }

    mutating func chance(_ percent: Int) -> Bool { next(below: 100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(below: elements.count)] }

    mutating func count(_ range: ClosedRange<Int>) -> Int { range.lowerBound + next(below: range.count) }
}
