public import Dispatch

/// Says where and when an observation calls back.
///
/// ```swift
/// let cancellable = observation.start(in: dbQueue, scheduling: .async(onQueue: queue)) { error in
///     print(error)
/// } onChange: { value in
///     print("fresh value", value)
/// }
/// ```
///
/// | scheduler | callbacks |
/// | --- | --- |
/// | `.mainActor` | on the main actor |
/// | `.immediate` | on the main actor; the first one before `start` returns |
/// | `.async(onQueue:)` | on a serial queue |
/// | `.task`, `.task(priority:)` | on the cooperative thread pool, one after the other |
public protocol ValueObservationScheduler: Sendable {
    /// Whether the initial value, or the initial error, is told before `start` returns, on the thread that starts.
    func immediateInitialValue() -> Bool

    /// Runs an action later, after those that were scheduled before.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler of which it is known that it never runs an action on the thread that schedules it.
protocol OffThreadScheduler {}

extension AsyncValueObservationScheduler: OffThreadScheduler {}
extension DelayedMainActorValueObservationScheduler: OffThreadScheduler {}
extension ImmediateValueObservationScheduler: OffThreadScheduler {}
extension TaskValueObservationScheduler: OffThreadScheduler {}

/// A scheduler whose callbacks are isolated to the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Runs an action on the main actor later, after those that were scheduled before.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    /// Runs an action on the main actor later, after those that were scheduled before.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        scheduleOnMainActor(action)
    }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Calls back on a queue.
    ///
    /// - Parameter queue: a serial queue. A concurrent one would mix the order of values.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// Calls back on the main actor, with the initial value before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
    /// Calls back on the main actor, with the initial value before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// Calls back on the main actor, always asynchronously.
    public static var mainActor: DelayedMainActorValueObservationScheduler {
        DelayedMainActorValueObservationScheduler()
    }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// Calls back on the cooperative thread pool, one call after the other.
    public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler(priority: nil) }

    /// Calls back on the cooperative thread pool, one call after the other.
    ///
    /// - Parameter priority: that of the task which makes the calls.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority: priority)
    }
}
