/// Calls back on the main actor, always asynchronously. Get it with `.mainActor`.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    init() {}

    /// False.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the main actor later, after those that were scheduled before.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        MainThread.async(action)
    }
}
