import Synchronization

/// The observation that runs for a `SharedValueObservation`, with the subscriptions that receive its values.
///
/// The scheduler delivers one value at a time, to all current subscriptions. A new subscription receives the last value
/// through the same scheduler. The lock isn't held while callbacks run, or while values and observations are released.
final class SharedHub<Element: Sendable>: Sendable {
    private typealias Subscription = SharedSubscription<Element>

    private struct State {
        var subscriptions = IdentifiedElements<SharedSubscription<Element>>()
        var last: Result<Element, any Error>?
        var observation: AnyDatabaseCancellable?
        /// The number of the current start of the observation. Values and errors of earlier starts are ignored.
        var startNumber = 0
        var isStarted = false
    }

    private let state = Mutex(State())
    private let restarts: Bool
    private let scheduler: any ValueObservationScheduler
    private let startObservation: AsyncValueObservation<Element>.Start

    /// - Parameter restarts: true if the observation stops with the last subscription, and the next subscription starts
    ///   it again. False if the observation runs until the hub is released.
    init(
        restarts: Bool, scheduler: any ValueObservationScheduler,
        startObservation: @escaping AsyncValueObservation<Element>.Start
    ) {
        self.restarts = restarts
        self.scheduler = scheduler
        self.startObservation = startObservation
    }

    func subscribe(_ subscription: SharedSubscription<Element>) {
        let (last, startNumber) = state.withLock { state in
            if case .failure = state.last {
            } else {
                state.subscriptions.append(subscription, id: ObjectIdentifier(subscription))
            }
            guard !state.isStarted else { return (state.last, nil as Int?) }
            state.isStarted = true
            state.startNumber += 1
            return (state.last, state.startNumber)
        }
        if let startNumber { return start(startNumber) }
        guard let last else { return }
        if scheduler.immediateInitialValue() {
            give(last, to: subscription)
        } else {
            scheduler.schedule { [self] in give(last, to: subscription) }
        }
    }

    private func give(_ last: Result<Element, any Error>, to subscription: SharedSubscription<Element>) {
        switch last {
        case .success(let value): subscription.giveFirst(value)
        case .failure(let error): subscription.fail(error)
        }
    }

    func unsubscribe(_ subscription: SharedSubscription<Element>) {
        subscription.end()
        let stopped = state.withLock { state in
            state.subscriptions.remove(ObjectIdentifier(subscription))
            return restarts && state.subscriptions.isEmpty ? Self.stop(&state) : nil
        }
        stopped?.observation?.cancel()
    }

    // MARK: The observation

    private func start(_ number: Int) {
        let observation = startObservation(
            { [weak self] in self?.fail($0, number) }, { [weak self] in self?.give($0, number) })
        let isOutdated = state.withLock { state in
            guard state.startNumber == number, state.isStarted else { return true }
            state.observation = observation
            return false
        }
        if isOutdated { observation.cancel() }
    }

    /// Objects to release after the lock was unlocked, because deinitializers of the application may use the hub.
    private struct Stopped {
        let observation: AnyDatabaseCancellable?
        let last: Result<Element, any Error>?
    }

    private static func stop(_ state: inout State) -> Stopped {
        let stopped = Stopped(observation: state.observation, last: state.last)
        state.isStarted = false
        state.last = nil
        state.observation = nil
        return stopped
    }

    private func give(_ value: Element, _ number: Int) {
        let (subscriptions, replaced) = state.withLock { state in
            guard state.startNumber == number, state.isStarted else { return ([Subscription](), state.last) }
            let replaced = state.last
            state.last = .success(value)
            return (state.subscriptions.all, replaced)
        }
        // Released outside of the lock: see `Stopped`.
        withExtendedLifetime(replaced) {}
        for subscription in subscriptions { subscription.give(value) }
    }

    private func fail(_ error: any Error, _ number: Int) {
        let (subscriptions, stopped) = state.withLock { state in
            guard state.startNumber == number, state.isStarted else { return ([Subscription](), nil as Stopped?) }
            let stopped = Stopped(observation: restarts ? state.observation : nil, last: state.last)
            if restarts { _ = Self.stop(&state) } else { state.last = .failure(error) }
            defer { state.subscriptions = IdentifiedElements() }
            return (state.subscriptions.all, stopped)
        }
        withExtendedLifetime(stopped) {}
        for subscription in subscriptions { subscription.fail(error) }
    }
}
