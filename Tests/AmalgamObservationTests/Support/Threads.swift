import Dispatch
import Foundation
import Synchronization
import Testing

// What tests of concurrent code are made of: real threads, and signals between them. A test waits for a signal, and
// fails when it does not come: no test takes a passing sleep for a proof.

/// Something that did not happen in time.
struct Timeout: Error {
    let what: String
}

/// An event that happens once. Any number of threads and tasks may wait for it.
final class Signal: Sendable {
    private let name: String
    private let isFired = Atomic<Bool>(false)
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ name: String = "signal") {
        self.name = name
    }

    func fire() {
        isFired.store(true, ordering: .releasing)
        semaphore.signal()
    }

    var hasFired: Bool { isFired.load(ordering: .acquiring) }

    /// Blocks the thread.
    func wait() throws {
        if semaphore.wait(timeout: .now() + 60) == .timedOut { throw Timeout(what: name) }
        semaphore.signal()
    }

    /// Suspends the task.
    func value() async throws {
        let end = ContinuousClock.now + .seconds(20)
        while !hasFired {
            if ContinuousClock.now > end { throw Timeout(what: name) }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Gives what must not happen a chance to happen. A test passes without it: it only makes a bug more visible.
    static func giveOthersAChance() {
        Thread.sleep(forTimeInterval: 0.02)
    }
}

/// A thread that runs a closure.
final class Worker: Sendable {
    private let end = Signal("end of thread")
    private let failure = Mutex<(any Error)?>(nil)

    init(_ body: @escaping @Sendable () throws -> Void) {
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
    func join() throws {
        try end.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Waits for the end of the closure without blocking a thread, and throws its error.
    func value() async throws {
        try await end.value()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// Runs a closure on several threads at once, and waits for their end.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let workers = (0..<count).map { index in Worker { try body(index) } }
    for worker in workers { try worker.join() }
}

/// Values in the order in which threads added them.
final class Log<Element: Sendable>: Sendable {
    private let storage = Mutex<[Element]>([])

    func append(_ element: Element) { storage.withLock { $0.append(element) } }

    var elements: [Element] { storage.withLock { $0 } }

    var count: Int { elements.count }

    /// The elements added since the last call.
    func take() -> [Element] {
        storage.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}

/// A value that threads share.
final class Box<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    init(_ value: Value) {
        storage = Mutex(value)
    }

    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    func withLock<T>(_ body: (inout sending Value) throws -> sending T) rethrows -> T {
        try storage.withLock(body)
    }
}

extension Box where Value == Int {
    /// Adds one, and returns the new value.
    @discardableResult
    func increment() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }

    func decrement() { withLock { $0 -= 1 } }

    /// Keeps the largest value.
    func raise(to value: Int) { withLock { $0 = max($0, value) } }
}

/// Waits until something is the case, which it will be for good.
func waitUntil(_ what: String, _ isTrue: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(20)
    while try !isTrue() {
        if ContinuousClock.now > end { throw Timeout(what: what) }
        Thread.sleep(forTimeInterval: 0.0005)
    }
}

/// Waits until something is the case, without blocking a thread.
func waitUntil(_ what: String, _ isTrue: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while try !isTrue() {
        if ContinuousClock.now > end { throw Timeout(what: what) }
        try await Task.sleep(for: .milliseconds(1))
    }
}
