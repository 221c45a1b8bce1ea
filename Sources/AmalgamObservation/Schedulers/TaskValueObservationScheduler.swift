/// A scheduler that runs callbacks on the cooperative thread pool, one at a time. It is returned by `.task`.
///
/// One task runs all callbacks of a scheduler, in order. Separate tasks could run them in a different order.
///
/// ```swift
/// let cancellable = observation.start(in: dbPool, scheduling: .task) { print($0) } onChange: { print($0) }
/// ```
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

    /// False: the initial value is delivered asynchronously.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action after the actions that were scheduled before.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        actions.yield(action)
    }
}
