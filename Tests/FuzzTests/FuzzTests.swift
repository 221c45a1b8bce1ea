import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Bytes of strangers: each target keeps its promises for its corpus, and for random changes of it. `scripts/proof/fuzz` runs the same
/// targets with libFuzzer and the address sanitizer, which find more.
@Suite("Hostile bytes", .serialized)
struct FuzzTests {
    @Test("the inputs of the corpus", arguments: FuzzTarget.allCases)
    func corpus(target: FuzzTarget) throws {
        let corpus = try Corpus(of: target)
        #expect(corpus.inputs.count >= 3, "a target without a corpus finds nothing")
        let promises = try onLargeStack {
            let run = try target.start()
            return corpus.inputs.compactMap { name, bytes in run.brokenPromise(bytes).map { "\(name): \($0)" } }
        }
        #expect(promises == [])
    }

    /// `AMALGAM_SEED=N` runs one seed.
    @Test("random changes of the corpus", arguments: FuzzTarget.allCases, seeds(2))
    func mutations(target: FuzzTarget, seed: UInt64) throws {
        let corpus = try Corpus(of: target)
        let promise = try onLargeStack {
            try Mutations(seed: seed, corpus: corpus).firstBrokenPromise(of: target.start(), count: target.inputCount)
        }
        #expect(promise == nil, "seed \(seed)")
    }

    /// A target that breaks a promise for each text with a quote.
    private struct QuoteFuzz: FuzzRun {
        struct Found: Error {}

        func run(_ input: FuzzInput) throws {
            if input.remainder.contains(34) { throw Found() }
        }
    }

    @Test("a broken promise is found, and its input is shortened")
    func findsABrokenPromise() {
        let corpus = Corpus(inputs: ["a": Array("abc".utf8)], tokens: [Array("d\"".utf8)])
        let promise = Mutations(seed: 1, corpus: corpus).firstBrokenPromise(of: QuoteFuzz(), count: 1_000)
        #expect(promise == "Found()\n[0x22]\n\"\\\"\"")
    }
}

extension FuzzTarget {
    /// The number of inputs for each seed. Targets that open files, or build an index, take longer for each.
    fileprivate var inputCount: Int {
        let count =
            switch self {
            case .walFiles, .databaseFiles, .fullText, .ranked: 25
            case .searchBox: 40
            case .migrations, .sandbox: 100
            default: 400
            }
        return isSanitized ? count / 4 : count
    }
}

/// Runs a closure on a thread whose stack is large enough for JSON of a thousand levels in code that isn't optimized.
private func onLargeStack<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
    let outcome = Box<Result<T, any Error>?>(nil)
    let end = DispatchSemaphore(value: 0)
    let thread = Thread {
        outcome.value = Result { try body() }
        end.signal()
    }
    thread.stackSize = 64 << 20
    thread.start()
    end.wait()
    return try outcome.value!.get()
}
