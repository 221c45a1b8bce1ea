#if Macros || !MACRO_RECORDS
import Amalgam
import Dispatch
import Foundation
import TestSupport
import Testing

/// The values and errors of an observation, in order.
final class Recorder<Value: Sendable>: Sendable {
    private let condition = NSCondition()
    private let log = Log<Result<Value, any Error>>()

    /// A serial queue for callbacks.
    let queue = DispatchQueue(label: "recorder")

    func append(_ value: Value) { append(.success(value)) }

    func append(_ error: any Error) { append(.failure(error)) }

    private func append(_ result: Result<Value, any Error>) {
        condition.lock()
        if case .failure = log.elements.last { Issue.record("\(result) after an error") }
        log.append(result)
        condition.broadcast()
        condition.unlock()
    }

    var values: [Value] { log.elements.compactMap { try? $0.get() } }

    var error: (any Error)? {
        guard case .failure(let error) = log.elements.last else { return nil }
        return error
    }

    /// Starts an observation with callbacks on the queue.
    func start<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader
    ) -> AnyDatabaseCancellable where Reducer.Value == Value {
        start(observation, in: reader, .async(onQueue: queue))
    }

    /// Starts an observation.
    func start<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader,
        _ scheduler: some ValueObservationScheduler
    ) -> AnyDatabaseCancellable where Reducer.Value == Value {
        observation.start(
            in: reader, scheduling: scheduler, onError: { self.append($0) }, onChange: { self.append($0) })
    }

    /// Waits until a condition is true.
    @discardableResult
    func wait(for what: String, _ isTrue: ([Value]) -> Bool) throws -> [Value] {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: patience)
        while !isTrue(values) {
            if !condition.wait(until: end) { throw Timeout(what: "\(what): \(log.elements)") }
        }
        return values
    }

    /// Waits for a number of values.
    @discardableResult
    func wait(count: Int) throws -> [Value] { try wait(for: "\(count) values") { $0.count >= count } }

    /// Waits for an error.
    func waitForError() throws -> any Error {
        try wait(for: "an error") { _ in error != nil }
        return error!
    }
}

extension Recorder where Value: Equatable {
    /// Waits for values without blocking a thread, for tests of tasks.
    func expect(_ values: [Value], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await waitUntil("\(values)") { self.values.count >= values.count || error != nil }
        #expect(self.values == values, sourceLocation: sourceLocation)
    }

    /// Waits until the last value is this one.
    @discardableResult
    func wait(last value: Value) throws -> [Value] { try wait(for: "\(value)") { $0.last == value } }
}

/// Calls back at once on the starting thread, and later on a queue.
struct RecorderScheduler: ValueObservationScheduler {
    let queue: DispatchQueue

    func immediateInitialValue() -> Bool { true }

    func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension Recorder {
    /// Starts an observation that delivers its initial value at once.
    func startImmediately<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader
    ) -> AnyDatabaseCancellable where Reducer.Value == Value {
        start(observation, in: reader, RecorderScheduler(queue: queue))
    }
}

/// Expects values in order, allowing repetitions and gaps, but with the last one.
func expectLoosely<Value: Equatable>(
    _ values: [Value], _ expected: [Value], sourceLocation: SourceLocation = #_sourceLocation
) {
    var rest = expected[...]
    for value in values {
        guard let index = rest.firstIndex(of: value) else {
            Issue.record("\(values) are not \(expected)", sourceLocation: sourceLocation)
            return
        }
        rest = rest[index...]
    }
    #expect(values.last == expected.last, sourceLocation: sourceLocation)
}

/// Messages of `print`.
final class Messages: TextOutputStream, Sendable {
    private let log = Log<String>()

    func write(_ string: String) { log.append(string) }

    var all: [String] { log.elements }
}
#endif
