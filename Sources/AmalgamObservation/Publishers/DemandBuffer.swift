#if canImport(Combine) || OpenCombine
import AmalgamConcurrency
import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A buffer of a subscriber's values: they are delivered in order, on demand.
///
/// It holds actions, each of which gives a value, but the last one, which gives an error. One at a time is with the
/// scheduler: when it has run, the next one is scheduled if there is demand for a value. An error needs no demand, but
/// waits until the values before it are taken.
///
/// So a subscriber is called by one thread at a time, in order, whatever the scheduler does and whoever asks for more. And
/// an observation knows, from actions that have not run, that its consumer is slow: it fetches nothing for it meanwhile.
final class DemandBuffer: Sendable {
    typealias Action = @Sendable () -> Void
    typealias Schedule = @Sendable (@escaping Action) -> Void

    private struct State {
        var demand = Subscribers.Demand.none
        var waiting = FIFOQueue<Action>()
        /// Whether the last action in the buffer is the last one of all.
        var endsWithError = false
        /// Whether an action is with the scheduler, or runs.
        var isBusy = false
        /// Whether a thread is about to schedule actions. Other threads leave it to that thread.
        var isScheduling = false

        var nextOne: Action? {
            mutating get {
                if isBusy || waiting.isEmpty { return nil }
                let isError = endsWithError && waiting.count == 1
                guard isError || demand > .none else { return nil }
                isBusy = true
                return waiting.popFirst()
            }
        }
    }

    private let state = Mutex(State())
    private let schedule: Schedule

    init(_ schedule: @escaping Schedule) {
        self.schedule = schedule
    }

    // MARK: Demand

    func add(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
        scheduleNext()
    }

    /// Takes the demand for one value.
    ///
    /// - Returns: whether there is demand.
    @discardableResult
    func take() -> Bool {
        state.withLock { state in
            guard state.demand > .none else { return false }
            state.demand -= 1
            return true
        }
    }

    // MARK: Actions

    /// Has an action run by the scheduler when its turn has come.
    ///
    /// - Parameter isError: whether the action gives an error. It is the last one.
    func add(isError: Bool, _ action: @escaping Action) {
        state.withLock { state in
            state.waiting.append(action)
            if isError { state.endsWithError = true }
        }
        scheduleNext()
    }

    /// Runs an action which the scheduler has called, at once if there is demand, and otherwise when there is. It replaces
    /// the buffered actions, unless it gives an error.
    ///
    /// - Parameter isError: whether the action gives an error. It is the last one.
    func runNewest(isError: Bool, _ action: @escaping Action) {
        let (now, outdated) = state.withLock { state in
            var outdated: [Action] = []
            if isError { state.endsWithError = true } else { outdated = state.waiting.popAll() }
            state.waiting.append(action)
            return (state.nextOne, outdated)
        }
        // Not under the lock: the deinitializers of values may use the subscription.
        withExtendedLifetime(outdated) {}
        if let now { run(now) }
    }

    /// Keeps actions waiting while a closure gives a value by itself.
    func whileBusy<T>(_ body: () -> T) -> T {
        state.withLock { $0.isBusy = true }
        defer { isDone() }
        return body()
    }

    /// Forgets the actions.
    func clear() {
        let outdated = state.withLock { $0.waiting.popAll() }
        withExtendedLifetime(outdated) {}
    }

    private func scheduleNext() {
        let mustSchedule = state.withLock { state in
            if state.isScheduling { return false }
            state.isScheduling = true
            return true
        }
        guard mustSchedule else { return }
        while let action = nextToSchedule() {
            schedule { [self] in run(action) }
        }
    }

    private func nextToSchedule() -> Action? {
        state.withLock { state in
            let action = state.nextOne
            state.isScheduling = action != nil
            return action
        }
    }

    private func run(_ action: Action) {
        action()
        isDone()
    }

    private func isDone() {
        state.withLock { $0.isBusy = false }
        scheduleNext()
    }
}
#endif
