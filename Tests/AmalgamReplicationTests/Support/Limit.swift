#if Replication && (os(Linux) || os(macOS))
import Foundation
import Synchronization
import Testing

/// Runs a few tests at the same time, not all of them: each starts several processes.
struct Limit: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Permits.shared.acquire()
        defer { Permits.shared.release() }
        try await function()
    }
}

extension Trait where Self == Limit {
    static var limited: Self { Limit() }
}

/// The permits of concurrent tests, with a queue.
private final class Permits: Sendable {
    static let shared = Permits(max(2, ProcessInfo.processInfo.activeProcessorCount))

    private struct State {
        var free: Int
        var queue: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func acquire() async {
        await withCheckedContinuation { continuation in
            let isGranted = state.withLock { state in
                if state.free == 0 {
                    state.queue.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isGranted { continuation.resume() }
        }
    }

    func release() {
        let next = state.withLock { state in
            if state.queue.isEmpty {
                state.free += 1
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.queue.removeFirst()
        }
        next?.resume()
    }
}
#endif
