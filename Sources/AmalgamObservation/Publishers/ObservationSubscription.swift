#if canImport(Combine) || OpenCombine
import AmalgamConcurrency
import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// An observation that gives what it tells to a subscriber.
///
/// The observation starts with the first demand. It ends when the subscriber cancels, or with the first error; then the
/// subscription lets go of both. Until then, each of them keeps the other one.
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

    /// What the subscriber waits for, or what waits for it.
    let buffer: DemandBuffer

    /// - Parameter schedule: calls the subscriber with values that there was no demand for when they came.
    init(_ downstream: Downstream<Output>, schedule: @escaping DemandBuffer.Schedule, start: @escaping Start) {
        state = Mutex(State(downstream: downstream, start: start))
        buffer = DemandBuffer(schedule)
    }

    // MARK: The subscriber asks

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

    // MARK: The observation tells

    /// Gives a value for which demand was taken.
    func give(_ value: Output) {
        guard let downstream = state.withLock({ $0.downstream }) else { return }
        buffer.add(downstream.subscriber.receive(value))
    }

    /// Gives an error, which is the end.
    func fail(_ error: any Error) {
        end()?.subscriber.receive(completion: .failure(error))
    }

    /// - Returns: who is not called by others any more.
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
