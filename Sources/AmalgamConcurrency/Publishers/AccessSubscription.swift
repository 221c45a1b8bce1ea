#if canImport(Combine) || OpenCombine
import Synchronization

#if canImport(Combine)
package import Combine
#else
package import OpenCombine
#endif

/// An access to a database that gives its result to a subscriber, by a scheduler.
///
/// The access begins with the first demand, and there is no second one. Demand is for one value at least, so the result
/// waits for nobody.
package final class AccessSubscription<Output: Sendable>: Subscription, Sendable {
    private enum State {
        /// Nothing is wanted yet.
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

    /// Whether somebody waits for the result.
    package var isWanted: Bool { downstream != nil }

    /// Gives the result to the subscriber, later, unless it cancels before.
    package func complete(with result: Result<Output, any Error>) {
        guard isWanted else { return }
        scheduler.schedule { [self] in give(result) }
    }

    private func give(_ result: Result<Output, any Error>) {
        switch result {
        case .success(let value):
            _ = downstream?.subscriber.receive(value)
            // It may have cancelled just now.
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

    /// - Returns: who is not called by others any more.
    @discardableResult
    private func end() -> Downstream<Output>? {
        let ended = state.withLock { state in
            defer { state = .ended }
            return state
        }
        // Not under the lock: the subscriber, and what the access has captured, may use the subscription when they die.
        return switch ended {
        case .idle(let downstream, _), .running(let downstream): downstream
        case .ended: nil
        }
    }
}
#endif
