import ChildProcesses
import Foundation
import Synchronization

/// Runs the scenarios of many seeds in child processes, and shrinks those that fail. A child that crashes or hangs
/// counts as a failure.
final class FailureSearch: Sendable {
    /// A seed whose scenario fails, and the shortest scenario that still fails.
    struct Failure: CustomStringConvertible {
        let seed: UInt64
        let reason: String
        let shortest: Scenario

        var description: String {
            """
            seed \(seed) fails: \(Scenario(seed: seed))
              because \(reason)
              shortest: \(shortest)
            """
        }
    }

    private static let maximumFailureCount = 5
    private let found = Mutex<[Failure]>([])

    /// - Returns: The failures, at most one for each seed, up to a limit.
    func run(_ seeds: Range<UInt64>) throws -> [Failure] {
        // The scenario is sufficient to analyze a crash: the stacks of all threads would take seconds.
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
        let workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
        let size = (UInt64(seeds.count) + UInt64(workers) - 1) / UInt64(workers)
        let errors = Mutex<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            let start = seeds.lowerBound + UInt64(worker) * size
            do {
                try search(start..<max(start, min(start + size, seeds.upperBound)))
            } catch {
                errors.withLock { $0.append(error) }
            }
        }
        if let error = errors.withLock({ $0.first }) { throw error }
        return found.withLock { $0 }
    }

    private func search(_ seeds: Range<UInt64>) throws {
        var rest = seeds
        while !rest.isEmpty, found.withLock({ $0.count }) < Self.maximumFailureCount {
            let child = try Child(["run", "\(rest.lowerBound)", "\(rest.count)"])
            guard let reason = child.failure else { return }
            guard let seed = child.lastSeed else { throw ChildProcess.Failure("no scenario was run: \(reason)") }
            let shortest = try Scenario(seed: seed).shrunk { try Self.fails($0) }
            found.withLock { $0.append(Failure(seed: seed, reason: reason, shortest: shortest)) }
            rest = (seed + 1)..<max(seed + 1, rest.upperBound)
        }
    }

    private static func fails(_ scenario: Scenario) throws -> Bool {
        try Child(["replay-quietly", "\(scenario)"]).failure != nil
    }
}

/// A run of this program that has ended.
private struct Child {
    private(set) var lastSeed: UInt64?

    /// The reason of the failure, if any.
    let failure: String?

    init(_ arguments: [String]) throws {
        let child = try ChildProcess("amalgam-reentrancy", arguments)
        var reason: [String] = []
        while let line = child.readLine() {
            if line.hasPrefix("seed ") { lastSeed = UInt64(line.dropFirst(5)) } else { reason.append(line) }
        }
        switch child.wait() {
        case .exit(0): failure = nil
        case .exit(1) where !reason.isEmpty: failure = reason.joined(separator: "\n          ")
        case .exit(let code): failure = "the process exited with code \(code)"
        case .signal(SIGALRM): failure = "it hangs"
        case .signal(let signal): failure = "the process was ended by signal \(signal)"
        }
    }
}
