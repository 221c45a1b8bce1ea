import CFaults
import Foundation
import Synchronization
package import Testing

/// Ends the process when a test hangs, because a blocked thread can't be cancelled.
///
/// A test may be slow because many others run concurrently, also those of other targets. A test that hangs is the last
/// one to run: the watchdog acts when no other test has begun or ended for a long time, and the process has used nearly
/// no processor time.
///
/// It prints the running tests and the stacks of all threads, and aborts. Suites with this trait have no limit of time:
/// tests that run concurrently count, too, so that a limit would fail on a slow machine.
///
/// The number of concurrent tests is limited: they block threads until a task wakes them, and no task runs if all 255
/// threads of Dispatch are blocked.
package struct Watchdog: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Places.shared.enter()
        defer { Places.shared.leave() }
        let number = Watchtower.shared.begin("\(test.id)")
        defer { Watchtower.shared.end(number) }
        try await function()
    }
}

extension Trait where Self == Watchdog {
    package static var watchdog: Self { Watchdog() }
}

/// The permits of concurrent tests, with a queue.
private final class Places: Sendable {
    static let shared = Places(16)

    private struct State {
        var free: Int
        var line: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    private init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isNext = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.line.append(continuation)
                return false
            }
            if isNext { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.line.isEmpty else { return state.line.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}

/// The thread that watches all tests.
private final class Watchtower: Sendable {
    static let shared = Watchtower()

    private struct Visit {
        let name: String
        let start = ContinuousClock.now
    }

    private struct State {
        var count = 0
        var visits: [Int: Visit] = [:]
        var lastProgress = ContinuousClock.now
    }

    private let state = Mutex(State())

    private init() {
        Thread.detachNewThread { [self] in
            var processorTime = Self.processorTime
            while true {
                Thread.sleep(forTimeInterval: 1)
                let isWorking = Self.processorTime - processorTime > 0.1
                processorTime = Self.processorTime
                if isWorking { state.withLock { $0.lastProgress = .now } }
                watch()
            }
        }
    }

    func begin(_ name: String) -> Int {
        state.withLock { state in
            state.count += 1
            state.lastProgress = .now
            state.visits[state.count] = Visit(name: name)
            return state.count
        }
    }

    func end(_ number: Int) {
        state.withLock { state in
            state.visits[number] = nil
            state.lastProgress = .now
        }
    }

    private func watch() {
        let (visits, lastProgress) = state.withLock { state in
            (state.visits.values.sorted { $0.start < $1.start }, state.lastProgress)
        }
        let now = ContinuousClock.now
        guard let oldest = visits.first, now - lastProgress > .seconds(Self.patience) else { return }
        var message = "Deadlock? \(oldest.name) has not ended. Under way are:\n"
        for visit in visits { message += "- \(visit.name), for \(now - visit.start)\n" }
        failDeadlock(message)
    }

    /// The processor time of all threads of the process, in seconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// The limit in seconds, longer than the time between two tests. Sanitizers are slow.
    private static let patience =
        environment("AMALGAM_WATCHDOG_SECONDS").flatMap(Double.init) ?? (isSanitized ? 300 : 120)
}

/// Ends a child process with a failure if a closure doesn't return in time.
package func endingDeadlocks(after seconds: Double = patience, _ body: () throws -> Void) rethrows {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        if end.wait(timeout: .now() + seconds) == .success { return }
        failDeadlock("Deadlock? A child process has not ended.\n")
    }
    defer { end.signal() }
    try body()
}

private func failDeadlock(_ message: String) -> Never {
    FileHandle.standardError.write(Data(message.utf8))
    faults_print_stacks()
    abort()
}
