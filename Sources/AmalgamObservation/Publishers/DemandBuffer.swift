#if canImport(Combine) || OpenCombine
import AmalgamConcurrency
import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A buffer of actions that deliver values to a subscriber, in order, and only while the subscriber demands values.
///
/// The last action may deliver an error instead of a value. This action waits for the earlier actions, but not for
/// demand. An action is scheduled after the previous one has run, so the subscriber is called by one thread at a time,
/// even if the scheduler is concurrent. An observation with `.latest` delivery doesn't fetch while the action that
/// delivers its last value hasn't run.
final class DemandBuffer: Sendable {
    typealias Action = @Sendable () -> Void
    typealias Schedule = @Sendable (@escaping Action) -> Void

    private struct State {
        var demand = Subscribers.Demand.none
        var waiting = FIFOQueue<Action>()
        /// Whether the last action in the buffer delivers an error.
        var endsWithError = false
        /// Whether an action is scheduled or runs.
        var isBusy = false
        /// Whether a thread is scheduling actions. This thread also schedules the actions that other threads add.
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

    /// Reduces the demand by one value, if there is demand.
    ///
    /// - Returns: whether there was demand.
    @discardableResult
    func take() -> Bool {
        state.withLock { state in
            guard state.demand > .none else { return false }
            state.demand -= 1
            return true
        }
    }

    // MARK: Actions

    /// Adds an action at the end of the buffer. An action that delivers a value is scheduled when there is demand. An
    /// action that delivers an error is scheduled after all earlier actions, even without demand.
    ///
    /// - Parameter isError: whether the action delivers an error. No action follows an error.
    func add(isError: Bool, _ action: @escaping Action) {
        state.withLock { state in
            state.waiting.append(action)
            if isError { state.endsWithError = true }
        }
        scheduleNext()
    }

    /// Adds an action. An action that delivers a value replaces all buffered actions. An action that delivers an error
    /// is added after them.
    ///
    /// If another action is scheduled or runs, the new action waits. Otherwise, the first action of the buffer runs at
    /// once, on the current thread, if there is demand or if this first action delivers an error.
    ///
    /// This method must be called where the scheduler runs callbacks, because the action that runs calls the
    /// subscriber.
    ///
    /// - Parameter isError: whether the action delivers an error. No action follows an error.
    func runNewest(isError: Bool, _ action: @escaping Action) {
        let (now, outdated) = state.withLock { state in
            var outdated: [Action] = []
            if isError { state.endsWithError = true } else { outdated = state.waiting.popAll() }
            state.waiting.append(action)
            return (state.nextOne, outdated)
        }
        // Released outside of the lock: the deinitializers of values may use the subscription.
        withExtendedLifetime(outdated) {}
        if let now { run(now) }
    }

    /// Runs a closure that delivers a value without the buffer. The buffered actions wait until the closure returns.
    func whileBusy<T>(_ body: () -> T) -> T {
        state.withLock { $0.isBusy = true }
        defer { isDone() }
        return body()
    }

    /// Removes all buffered actions.
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
