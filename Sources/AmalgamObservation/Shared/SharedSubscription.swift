import Synchronization

/// A subscriber of a shared observation.
final class SharedSubscription<Element: Sendable>: Sendable {
    private enum State {
        /// The subscriber hasn't received a value.
        case fresh
        case served
        case ended
    }

    private let state = Mutex(State.fresh)
    private let onError: @Sendable (any Error) -> Void
    private let onChange: @Sendable (Element) -> Void

    init(onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void) {
        self.onError = onError
        self.onChange = onChange
    }

    /// Delivers a value that is newer than all values that were delivered before.
    func give(_ value: Element) {
        let isOpen = state.withLock { state in
            if case .ended = state { return false }
            state = .served
            return true
        }
        if isOpen { onChange(value) }
    }

    /// Delivers the last value that was fetched before the subscription, unless a newer value was delivered.
    func giveFirst(_ value: Element) {
        let isFresh = state.withLock { state in
            guard case .fresh = state else { return false }
            state = .served
            return true
        }
        if isFresh { onChange(value) }
    }

    func fail(_ error: any Error) {
        if end() { onError(error) }
    }

    /// - Returns: true if this call has ended the subscription, false if the subscription had ended before.
    @discardableResult
    func end() -> Bool {
        state.withLock { state in
            if case .ended = state { return false }
            state = .ended
            return true
        }
    }
}
