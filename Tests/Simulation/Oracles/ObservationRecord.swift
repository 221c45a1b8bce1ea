import Amalgam
import Foundation
import Synchronization

/// A running observation: its values, and those that the commits allow.
final class ObservationRecord {
    let plan: Step.Observation
    /// The results of the query at the commits, in order. Equal neighbours are one entry.
    private var states: [State]
    /// Whether the last state must arrive, because the connection of the observation has made it.
    private var mustArrive = false
    /// Whether an error may have ended the observation, because its fetch was made to fail.
    var mayFail = false
    private let received = Received()
    private var cancellable: AnyDatabaseCancellable?

    private struct State {
        var rows: [String]
        /// Whether an observation of every commit must deliver the state.
        var isRequired: Bool
    }

    /// The values that the observation has delivered.
    private final class Received: Sendable {
        private let state = Mutex<(values: [[String]], error: String?)>(([], nil))
        private let condition = DispatchSemaphore(value: 0)

        func append(_ value: [String]) {
            state.withLock { state in
                if state.values.last != value { state.values.append(value) }
            }
            condition.signal()
        }

        func fail(_ error: any Error) {
            state.withLock { $0.error = "\(error)" }
            condition.signal()
        }

        var values: [[String]] { state.withLock { $0.values } }
        var error: String? { state.withLock { $0.error } }

        /// Waits until the last value is this one.
        func wait(for value: [String], _ patience: Double) -> Bool {
            let deadline = DispatchTime.now() + patience
            while values.last != value {
                if error != nil || condition.wait(timeout: deadline) == .timedOut { return values.last == value }
            }
            return true
        }
    }

    /// The time in seconds after which an awaited value counts as lost.
    private let patience: Double

    init(_ plan: Step.Observation, in writer: any DatabaseWriter, model: Model, patience: Double) {
        self.plan = plan
        self.patience = patience
        states = [State(rows: plan.query.result(in: model), isRequired: true)]
        mustArrive = true
        let query = plan.query
        var observation = ValueObservation.tracking { db in try query.fetch(db) }
        observation = observation.delivering(plan.isEveryCommit ? .everyCommit : .latest)
        if plan.includesExternalChanges { observation = observation.includingExternalChanges() }
        let queue = DispatchQueue(label: "simulation.observation")
        cancellable = observation.start(
            in: writer, scheduling: .async(onQueue: queue), onError: { [received] in received.fail($0) },
            onChange: { [received] in received.append($0) })
    }

    /// Notes a commit.
    ///
    /// - Parameter isReported: whether the commit is known to reach the observation.
    func note(_ model: Model, connection: Int, isReported: Bool = true) {
        let rows = plan.query.result(in: model)
        if rows == states.last?.rows { return }
        let isOwn = isReported && connection == plan.connection
        states.append(State(rows: rows, isRequired: isOwn && plan.isEveryCommit))
        mustArrive = isOwn || (isReported && plan.includesExternalChanges)
    }

    /// Waits for the last value, and returns a complaint if it doesn't come.
    func settle() -> String? {
        if hasEnded { return nil }
        if mustArrive, !received.wait(for: states.last!.rows, patience) {
            if hasEnded { return nil }
            return
                "the value \(states.last!.rows) is missing\(received.error.map { ": \($0)" } ?? ""); the values are \(received.values)"
        }
        if let error = received.error { return "the observation has ended: \(error)" }
        return nil
    }

    /// Ends the observation, and compares all of its values.
    func finish() -> String? {
        let complaint = settle()
        cancellable?.cancel()
        cancellable = nil
        if let complaint { return complaint }
        if isExplained(received.values, isEnded: hasEnded) { return nil }
        return """
            the values \(received.values) aren't those of the commits: \
            \(states.map { "\($0.rows)\($0.isRequired ? "!" : "")" }.joined(separator: ", "))
            """
    }

    /// Whether a planned fault has ended the observation.
    var hasEnded: Bool { mayFail && received.error != nil }

    func cancel() { cancellable?.cancel() }

    /// Whether more than the first value was compared, and one of them isn't empty.
    var isMeaningful: Bool { received.values.count > 1 && received.values.contains { !$0.isEmpty } }

    /// Whether values are a part of the states, in order, that lacks no required one.
    ///
    /// - Parameter isEnded: whether the last states may be missing, because the observation has ended before them.
    private func isExplained(_ values: [[String]], isEnded: Bool) -> Bool {
        if isEnded && values.isEmpty { return true }
        // possible[n]: whether the first n values may come from the states so far.
        var possible = [Bool](repeating: false, count: values.count + 1)
        possible[0] = true
        for state in states {
            var next = [Bool](repeating: false, count: values.count + 1)
            for count in 0...values.count where possible[count] {
                if !state.isRequired { next[count] = true }
                if count < values.count && values[count] == state.rows { next[count + 1] = true }
                // The value before is equal: both are one value, because equal neighbours are merged.
                if count > 0 && values[count - 1] == state.rows { next[count] = true }
            }
            possible = next
            if isEnded && possible[values.count] { return true }
        }
        return possible[values.count]
    }
}
