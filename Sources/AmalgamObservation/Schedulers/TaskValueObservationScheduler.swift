/// Calls back on the cooperative thread pool, one call after the other. Get it with `.task`.
///
/// One task makes all calls of a scheduler, in their order: tasks of their own could overtake each other.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    private let actions: AsyncStream<@Sendable () -> Void>.Continuation

    init(priority: TaskPriority?) {
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        actions = continuation
        Task.detached(priority: priority) {
            for await action in stream { action() }
        }
    }

    deinit { actions.finish() }

    /// False.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action after those that were scheduled before.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        actions.yield(action)
    }
}
