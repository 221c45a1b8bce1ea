#if canImport(Combine) || OpenCombine
import AmalgamConcurrency
import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A subscription that delivers the values of an observation to a subscriber.
///
/// The observation starts with the first demand, and ends when the subscriber cancels, or with the first error. Until
/// the observation ends, the subscription retains the observation and the subscriber, and both retain the subscription.
final class ObservationSubscription<Output>: Subscription, Sendable {
    typealias Start = @Sendable (ObservationSubscription<Output>) -> AnyDatabaseCancellable

    private struct State {
        /// Nil once the subscription has ended.
        var downstream: Downstream<Output>?
        /// Nil once there is demand.
        var start: Start?
        var observation: AnyDatabaseCancellable?
    }

    private let state: Mutex<State>

    /// The values that wait for demand, or the demand that waits for values.
    let buffer: DemandBuffer

    /// - Parameter schedule: runs the actions that deliver buffered values.
    init(_ downstream: Downstream<Output>, schedule: @escaping DemandBuffer.Schedule, start: @escaping Start) {
        state = Mutex(State(downstream: downstream, start: start))
        buffer = DemandBuffer(schedule)
    }

    // MARK: Requests of the subscriber

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        buffer.add(demand)
        let start = state.withLock { state in
            defer { state.start = nil }
            return state.start
        }
        if let start { begin(start) }
    }

    private func begin(_ start: Start) {
        let observation = start(self)
        let hasEnded = state.withLock { state in
            if state.downstream == nil { return true }
            state.observation = observation
            return false
        }
        if hasEnded { observation.cancel() }
    }

    func cancel() { end() }

    // MARK: Values of the observation

    /// Delivers a value. The caller must have reduced the demand by one.
    func give(_ value: Output) {
        guard let downstream = state.withLock({ $0.downstream }) else { return }
        buffer.add(downstream.subscriber.receive(value))
    }

    /// Delivers an error, which ends the subscription.
    func fail(_ error: any Error) {
        end()?.subscriber.receive(completion: .failure(error))
    }

    /// - Returns: the subscriber, or nil if the subscription had ended before.
    @discardableResult
    private func end() -> Downstream<Output>? {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        ended.observation?.cancel()
        buffer.clear()
        return ended.downstream
    }
}
#endif
