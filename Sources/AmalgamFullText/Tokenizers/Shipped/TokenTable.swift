/// A hash table of values by token. Look-ups compare bytes, because creating strings would take longer than tokenizing.
struct TokenTable<Value> {
    private let entries: [(token: [UInt8], value: Value)]

    /// The indexes of entries, in an open-addressed table; -1 for a free slot.
    private var slots: [Int]

    init(_ values: [[UInt8]: Value]) {
        entries = values.map { ($0.key, $0.value) }
        var count = 2
        while count < 2 * values.count { count *= 2 }
        slots = Array(repeating: -1, count: count)
        for (number, entry) in entries.enumerated() {
            var slot = entry.token.withUnsafeBytes(slot)
            while slots[slot] >= 0 { slot = next(slot) }
            slots[slot] = number
        }
    }

    subscript(token: UnsafeRawBufferPointer) -> Value? {
        var slot = slot(token)
        while slots[slot] >= 0 {
            let number = slots[slot]
            if entries[number].token.count == token.count && entries[number].token.elementsEqual(token) {
                return entries[number].value
            }
            slot = next(slot)
        }
        return nil
    }

    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    /// The slot of a token, by the FNV-1a hash: <http://www.isthe.com/chongo/tech/comp/fnv/>.
    private func slot(_ token: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in token { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32) & (slots.count - 1)
    }
}
