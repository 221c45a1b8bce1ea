import FuzzTargets
import TestSupport

/// Random changes of the inputs of a corpus.
struct Mutations {
    private var random: SeededGenerator
    private let inputs: [[UInt8]]
    private let tokens: [[UInt8]]

    /// Bytes at which code takes another way, more often than others.
    private static let special: [UInt8] = [0, 1, 2, 9, 10, 13, 32, 34, 39, 0x7F, 0x80, 0xC0, 0xFE, 0xFF]

    init(seed: UInt64, corpus: Corpus) {
        random = SeededGenerator(seed: seed)
        inputs = corpus.inputs.sorted { $0.key < $1.key }.map(\.value)
        tokens = corpus.tokens
    }

    mutating func next() -> [UInt8] {
        var bytes = inputs.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...6, using: &random) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let index = Int.random(in: 0...bytes.count, using: &random)
        let range = index..<min(bytes.count, index + Int.random(in: 1...12, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: if index < bytes.count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        case 1: if index < bytes.count { bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        case 2: if index < bytes.count { bytes[index] = Self.special.randomElement(using: &random)! }
        case 3: bytes.removeSubrange(range)
        case 4: bytes.insert(contentsOf: bytes[range], at: index)
        case 5: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
        case 6: bytes.replaceSubrange(range, with: (inputs.randomElement(using: &random) ?? []).suffix(range.count))
        case 7: bytes = Array(bytes[..<index]) + (inputs.randomElement(using: &random) ?? []).dropFirst(index)
        default: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: index)
        }
    }

    /// Runs a target on changed inputs.
    ///
    /// - Returns: The first promise that the target breaks, with the shortest input that breaks it; nil if it keeps all.
    func firstBrokenPromise(of run: any FuzzRun, count: Int) -> String? {
        var mutations = self
        for _ in 0..<count {
            let bytes = mutations.next()
            guard let promise = run.brokenPromise(bytes) else { continue }
            // A promise of the same kind: numbers and names at the end of the message may be others.
            let shortest = shrunk(bytes) { run.brokenPromise($0)?.prefix(8) == promise.prefix(8) }
            return "\(run.brokenPromise(shortest) ?? promise)\n\(Self.literal(shortest))"
        }
        return nil
    }

    /// An input as it is written in Swift, and as text.
    private static func literal(_ bytes: [UInt8]) -> String {
        let numbers = bytes.map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
        return "[\(numbers)]\n\(String(decoding: bytes, as: UTF8.self).debugDescription)"
    }
}
