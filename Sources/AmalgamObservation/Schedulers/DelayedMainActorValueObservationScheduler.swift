/// A scheduler that runs callbacks on the main actor, always asynchronously. It is returned by `.mainActor`.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    init() {}

    /// False: the initial value is delivered asynchronously.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the main actor asynchronously, after the actions that were scheduled before.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        MainThread.async(action)
    }
}
