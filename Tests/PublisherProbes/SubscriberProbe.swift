#if canImport(Combine) || OpenCombine
import Foundation

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A subscriber whose demand is set by a test. It records its input, and checks the rules of publishers: no more values
/// than requested, one call at a time, and no call after the completion.
public final class SubscriberProbe<Input: Sendable>: Subscriber, @unchecked Sendable {
    // Sendable: the lock of the condition guards all mutable state.

    public typealias Failure = any Error

    /// An event that did not happen in time.
    public struct Timeout: Error {
        public let what: String
    }

    private let condition = NSCondition()
    private let firstDemand: Subscribers.Demand
    private let onValue: @Sendable (SubscriberProbe, Input) -> Subscribers.Demand

    private var subscription: (any Subscription)?
    private var demand = Subscribers.Demand.none
    private var received: [Input] = []
    private var end: Subscribers.Completion<any Error>?
    private var isCalled = false
    private var problems: [String] = []

    /// - Parameters:
    ///   - firstDemand: The demand at the beginning.
    ///   - onValue: Called with each value. Returns the additional demand of the subscriber.
    public init(
        _ firstDemand: Subscribers.Demand = .none,
        onValue: @escaping @Sendable (SubscriberProbe, Input) -> Subscribers.Demand = { _, _ in .none }
    ) {
        self.firstDemand = firstDemand
        self.onValue = onValue
    }

    // MARK: Control by the test

    /// Requests values.
    public func request(_ demand: Subscribers.Demand) {
        let subscription = locked { () -> (any Subscription)? in
            self.demand += demand
            return self.subscription
        }
        subscription?.request(demand)
    }

    public func cancel() {
        let subscription = locked { () -> (any Subscription)? in
            defer { self.subscription = nil }
            return self.subscription
        }
        subscription?.cancel()
    }

    // MARK: Inspection by the test

    public var values: [Input] { locked { received } }

    public var completion: Subscribers.Completion<any Error>? { locked { end } }

    public var error: (any Error)? {
        if case .failure(let error) = completion { error } else { nil }
    }

    public var isFinished: Bool {
        if case .finished = completion { true } else { false }
    }

    /// The publisher's violations of the rules.
    public var faults: [String] { locked { problems } }

    /// Waits for a number of values.
    @discardableResult
    public func wait(count: Int) throws -> [Input] {
        try wait("\(count) values") { received.count >= count }
        return values
    }

    /// Waits for the completion.
    public func waitForCompletion() throws { try wait("completion") { end != nil } }

    /// Waits for the completion without blocking a thread.
    public func completed() async throws {
        let deadline = ContinuousClock.now + .seconds(600)
        while completion == nil {
            if ContinuousClock.now > deadline { throw Timeout(what: "completion after \(values)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Waits for the completion with an error.
    public func waitForError() throws -> any Error {
        try waitForCompletion()
        guard let error else { throw Timeout(what: "an error: it has finished with \(values)") }
        return error
    }

    private func wait(_ what: String, _ isTrue: () -> Bool) throws {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: 600)
        while !isTrue() {
            if !condition.wait(until: deadline) {
                throw Timeout(what: "\(what): \(received), \(String(describing: end)), \(problems)")
            }
        }
    }

    // MARK: The publisher calls

    public func receive(subscription: any Subscription) {
        locked {
            if self.subscription != nil { problems.append("a second subscription") }
            self.subscription = subscription
        }
        if firstDemand > .none { request(firstDemand) }
    }

    public func receive(_ input: Input) -> Subscribers.Demand {
        called {
            if demand == .none { problems.append("\(input) was not asked for") } else { demand -= 1 }
            if end != nil { problems.append("\(input) after the end") }
            received.append(input)
        }
        let more = onValue(self, input)
        hasReturned { demand += more }
        return more
    }

    public func receive(completion: Subscribers.Completion<any Error>) {
        called {
            if end != nil { problems.append("a second end") }
            end = completion
            subscription = nil
        }
        hasReturned {}
    }

    private func called(_ body: () -> Void) {
        locked {
            if isCalled { problems.append("two calls at a time") }
            isCalled = true
            body()
            condition.broadcast()
        }
    }

    private func hasReturned(_ body: () -> Void) {
        locked {
            isCalled = false
            body()
        }
    }

    private func locked<T>(_ body: () -> T) -> T {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }
}
#endif
