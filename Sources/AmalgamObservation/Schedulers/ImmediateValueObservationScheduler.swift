/// Calls back on the main actor, with the initial value before `start` returns. Get it with `.immediate`.
///
/// The initial fetch blocks the main actor, so it should be a quick one.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
    /// Creates the scheduler.
    public init() {}

    /// Whether the current thread is the one of the main actor. Elsewhere, nothing can be told there immediately: the
    /// initial value comes asynchronously.
    public func immediateInitialValue() -> Bool { MainThread.isCurrent }

    /// Runs an action on the main actor later, after those that were scheduled before.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        MainThread.async(action)
    }
}
