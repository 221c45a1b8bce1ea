/// A scheduler that runs callbacks on the main actor, and delivers the initial value before `start` returns. It is
/// returned by `.immediate`.
///
/// The initial fetch blocks the main actor, so it should be fast.
///
/// ```swift
/// let cancellable = observation.start(in: dbQueue, scheduling: .immediate) { print($0) } onChange: { players in
///     self.players = players
/// }
/// ```
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
    /// Creates the scheduler.
    public init() {}

    /// Whether the current thread runs the main actor. On other threads, the initial value is delivered asynchronously.
    public func immediateInitialValue() -> Bool { MainThread.isCurrent }

    /// Runs an action on the main actor asynchronously, after the actions that were scheduled before.
    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        MainThread.async(action)
    }
}
