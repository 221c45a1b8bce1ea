/// A scheduler that runs callbacks on the main actor, and delivers the initial value before `start` returns. It is
/// returned by `.immediate`.
///
/// The initial fetch blocks the main actor, so it should be fast.
///
/// ```swift
/// @MainActor final class PlayerList {
///     private(set) var players: [Player] = []
///     private var cancellable: AnyDatabaseCancellable?
///
///     func observe(_ dbQueue: DatabaseQueue) {
///         let observation = ValueObservation.tracking(Player.fetchAll)
///         cancellable = observation.start(in: dbQueue, scheduling: .immediate) { error in
///             print(error)
///         } onChange: { [weak self] players in
///             self?.players = players
///         }
///         print(players.count)   // the list is already there
///     }
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
