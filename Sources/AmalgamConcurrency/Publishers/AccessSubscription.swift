#if canImport(Combine) || OpenCombine
import Synchronization

#if canImport(Combine)
package import Combine
#else
package import OpenCombine
#endif

/// A database access that delivers its result to a subscriber on a scheduler.
///
/// The first demand (request for values) starts the access; later demands have no effect. Each demand is for at least
/// one value, so the single result can be delivered immediately.
package final class AccessSubscription<Output: Sendable>: Subscription, Sendable {
    private enum State {
        /// No demand has been received yet.
        case idle(Downstream<Output>, AccessPublisher<Output>.Access)
        case running(Downstream<Output>)
        /// Completed or cancelled.
        case ended
    }

    private let state: Mutex<State>
    private let scheduler: AccessScheduler

    init(
        _ downstream: Downstream<Output>, on scheduler: AccessScheduler,
        access: @escaping AccessPublisher<Output>.Access
    ) {
        state = Mutex(.idle(downstream, access))
        self.scheduler = scheduler
    }

    package func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let access = state.withLock { state -> AccessPublisher<Output>.Access? in
            guard case .idle(let downstream, let access) = state else { return nil }
            state = .running(downstream)
            return access
        }
        access?(self)
    }

    package func cancel() { end() }

    /// Whether the subscriber still waits for the result.
    package var isWanted: Bool { downstream != nil }

    /// Schedules the delivery of the result, unless the subscriber has cancelled.
    package func complete(with result: Result<Output, any Error>) {
        guard isWanted else { return }
        scheduler.schedule { [self] in give(result) }
    }

    private func give(_ result: Result<Output, any Error>) {
        switch result {
        case .success(let value):
            _ = downstream?.subscriber.receive(value)
            // The subscriber may have cancelled in the call above.
            end()?.subscriber.receive(completion: .finished)
        case .failure(let error):
            end()?.subscriber.receive(completion: .failure(error))
        }
    }

    private var downstream: Downstream<Output>? {
        state.withLock { state in
            guard case .running(let downstream) = state else { return nil }
            return downstream
        }
    }

    /// - Returns: the subscriber in the first call, and nil in later calls.
    @discardableResult
    private func end() -> Downstream<Output>? {
        let ended = state.withLock { state in
            defer { state = .ended }
            return state
        }
        // The subscriber and the access are released outside the lock, because their deinitializers may call methods of
        // this subscription that take the lock.
        return switch ended {
        case .idle(let downstream, _), .running(let downstream): downstream
        case .ended: nil
        }
    }
}
#endif
