import Foundation

/// The search for failures: programs of consecutive seeds, until the time is over.
package struct Search {
    /// A failed program.
    package struct Failure: Sendable {
        package var seed: UInt64
        package var program: Program
        package var complaint: String

        /// The program as Swift, and as the text that `replay` reads.
        package var text: String {
            let json = (try? JSONEncoder().encode(program)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return """
                seed \(seed): \(complaint)

                \(ProgramPrinter.text(program, complaint))

                replay: \(json)
                """
        }
    }

    package private(set) var coverage = Coverage()
    package private(set) var programs = 0

    /// The time in seconds after which a failed program isn't shrunk further.
    private let shrinkSeconds: Double

    /// The time in seconds after which an awaited value counts as lost.
    private let patience: Double

    private let willRun: @Sendable (UInt64?) -> Void

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - shrinkSeconds: the time after which a failed program isn't shrunk further.
    ///   - patience: the time in seconds after which an awaited value counts as lost.
    ///   - willRun: called before each program, with its seed; nil for a program without a seed.
    package init(
        shrinkSeconds: Double = 300, patience: Double = 60, willRun: @escaping @Sendable (UInt64?) -> Void = { _ in }
    ) {
        self.shrinkSeconds = shrinkSeconds
        self.patience = patience
        self.willRun = willRun
    }

    /// Runs the programs of seeds from the first one on.
    ///
    /// - Returns: the first failure, shrunk; nil if there is none.
    package mutating func run(from first: UInt64, seconds: Double, length: Int = 30) -> Failure? {
        let end = Date.now.addingTimeInterval(seconds)
        var seed = first
        repeat {
            if let failure = run(seed: seed, length: length) { return failure }
            seed &+= 1
        } while Date.now < end
        return nil
    }

    /// Runs the program of a seed, and shrinks it if it fails.
    package mutating func run(seed: UInt64, length: Int = 30) -> Failure? {
        let program = Program(seed: seed, length: length)
        guard let complaint = run(program, seed: seed) else { return nil }
        // A shorter program may crash or hang: the seed must be known then.
        FileHandle.standardError.write(Data("seed \(seed): \(complaint)\n".utf8))
        let oracle = Self.oracle(of: complaint)
        // A shorter program that fails in another way is another failure. Each lost value takes the whole patience.
        var scratch = Search(patience: max(5, patience / 12), willRun: willRun)
        let end = Date.now.addingTimeInterval(shrinkSeconds)
        let shrunk = program.shrunk { candidate in
            guard Date.now < end, let complaint = scratch.run(candidate) else { return false }
            return Self.oracle(of: complaint) == oracle
        }
        return Failure(seed: seed, program: shrunk, complaint: scratch.run(shrunk) ?? complaint)
    }

    /// Runs a program, and returns the complaint of an oracle, if any.
    package mutating func run(_ program: Program) -> String? { run(program, seed: nil) }

    private mutating func run(_ program: Program, seed: UInt64?) -> String? {
        programs += 1
        willRun(seed)
        do {
            try Simulation.run(program, patience: patience, coverage: &coverage)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The words of a complaint up to the first value.
    private static func oracle(of complaint: String) -> String {
        let text = complaint.split(separator: "): ", maxSplits: 1).last.map(String.init) ?? complaint
        return String(text.prefix { $0 != ":" })
    }
}
