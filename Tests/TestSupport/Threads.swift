import Dispatch
import Foundation
import Synchronization

// Tools for tests of concurrent code: real threads, and signals between them. A test waits for a signal, and fails if
// it doesn't come. No test relies on a sleep.

/// The time limit in seconds for events that need no time by themselves: other tests, and other processes, may keep the
/// processors busy.
package let patience = environment("AMALGAM_PATIENCE").flatMap(Double.init) ?? (isSanitized ? 300 : 120)

/// An event that did not happen in time.
package struct Timeout: Error {
    package let what: String

    package init(what: String) {
        self.what = what
    }
}

/// An event that happens once. Any number of threads and tasks may wait for it.
package final class Signal: Sendable {
    private let name: String
    private let isFired = Atomic<Bool>(false)
    private let semaphore = DispatchSemaphore(value: 0)

    package init(_ name: String = "signal") {
        self.name = name
    }

    package func fire() {
        isFired.store(true, ordering: .releasing)
        semaphore.signal()
    }

    package var hasFired: Bool { isFired.load(ordering: .acquiring) }

    /// Blocks the thread.
    package func wait() throws {
        if semaphore.wait(timeout: .now() + patience) == .timedOut { throw Timeout(what: name) }
        semaphore.signal()
    }

    /// Suspends the task.
    package func value() async throws {
        try await waitUntil(name) { hasFired }
    }

    /// Sleeps for a moment, so that an unexpected event can happen. A test doesn't depend on it: the sleep makes a bug
    /// more likely to appear.
    package static func giveOthersAChance() {
        Thread.sleep(forTimeInterval: 0.02)
    }
}

/// A thread that runs a closure.
package final class Worker: Sendable {
    private let end = Signal("end of thread")
    private let failure = Mutex<(any Error)?>(nil)

    package init(_ body: @escaping @Sendable () throws -> Void) {
        let body = Box<(@Sendable () throws -> Void)?>(body)
        Thread.detachNewThread { [self] in
            do {
                try body.value?()
            } catch {
                failure.withLock { $0 = error }
            }
            // The objects captured by the closure must be released before other threads continue.
            body.value = nil
            end.fire()
        }
    }

    /// Waits for the end of the closure, and throws its error.
    package func join() throws {
        try end.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Waits for the end of the closure without blocking a thread, and throws its error.
    package func value() async throws {
        try await end.value()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// Runs a closure on several threads at once, and waits for their end.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let workers = (0..<count).map { index in Worker { try body(index) } }
    for worker in workers { try worker.join() }
}

/// Values in the order in which threads added them.
package final class Log<Element: Sendable>: Sendable {
    private let storage = Mutex<[Element]>([])

    package init() {}

    package func append(_ element: Element) { storage.withLock { $0.append(element) } }

    package var elements: [Element] { storage.withLock { $0 } }

    package var count: Int { elements.count }

    /// The elements added since the last call.
    package func take() -> [Element] {
        storage.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}

/// A value shared by threads.
package final class Box<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    package init(_ value: Value) {
        storage = Mutex(value)
    }

    package var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    package func withLock<T>(_ body: (inout sending Value) throws -> sending T) rethrows -> T {
        try storage.withLock(body)
    }
}

extension Box where Value == Int {
    /// Adds one, and returns the new value.
    @discardableResult
    package func increment() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }

    package func decrement() { withLock { $0 -= 1 } }

    /// Sets the value if it is larger.
    package func raise(to value: Int) { withLock { $0 = max($0, value) } }
}

/// Waits until a condition is true, which then stays true.
package func waitUntil(_ what: String, _ isTrue: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(patience)
    while try !isTrue() {
        if ContinuousClock.now > end { throw Timeout(what: what) }
        Thread.sleep(forTimeInterval: 0.0005)
    }
}

/// Waits until a condition is true, without blocking a thread.
///
/// Tests that block the threads of tasks delay this task, and the one that it waits for. Only a small part of such a delay
/// counts.
package func waitUntil(_ what: String, _ isTrue: () throws -> Bool) async throws {
    var waited = Duration.zero
    while try !isTrue() {
        if waited > .seconds(patience) { throw Timeout(what: what) }
        let start = ContinuousClock.now
        try await Task.sleep(for: .milliseconds(1))
        waited += min(ContinuousClock.now - start, .milliseconds(50))
    }
}
