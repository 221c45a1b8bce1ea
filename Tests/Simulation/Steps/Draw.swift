/// Draws the parts of a program from a seed.
struct Draw {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0, below a limit.
    mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

    mutating func list<Element>(_ counts: ClosedRange<Int>, _ element: (inout Draw) -> Element) -> [Element] {
        let count = counts.lowerBound + number(below: counts.count)
        return (0..<count).map { _ in element(&self) }
    }
}
