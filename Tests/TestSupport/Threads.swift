import Dispatch
import Foundation
import Synchronization

// What tests of concurrent code are made of: real threads, and signals between them. A test waits for a signal, and
// fails when it does not come: no test takes a passing sleep for a proof.

/// How many seconds something may take that needs none: other tests keep the threads busy that tasks share.
private let patience = isSanitized ? 200.0 : 60

/// Something that did not happen in time.
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
        let end = ContinuousClock.now + .seconds(patience)
        while !hasFired {
            if ContinuousClock.now > end { throw Timeout(what: name) }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Gives what must not happen a chance to happen. A test passes without it: it only makes a bug more visible.
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
            // What the closure has captured must be gone when the others go on.
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

/// A value that threads share.
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

    /// Keeps the largest value.
    package func raise(to value: Int) { withLock { $0 = max($0, value) } }
}

/// Waits until something is the case, which it will be for good.
package func waitUntil(_ what: String, _ isTrue: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(patience)
    while try !isTrue() {
        if ContinuousClock.now > end { throw Timeout(what: what) }
        Thread.sleep(forTimeInterval: 0.0005)
    }
}

/// Waits until something is the case, without blocking a thread.
package func waitUntil(_ what: String, _ isTrue: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(patience)
    while try !isTrue() {
        if ContinuousClock.now > end { throw Timeout(what: what) }
        try await Task.sleep(for: .milliseconds(1))
    }
}
