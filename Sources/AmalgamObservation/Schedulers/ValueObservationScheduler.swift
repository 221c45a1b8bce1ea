public import Dispatch

/// A type that decides where and when the callbacks of an observation run.
///
/// ```swift
/// let queue = DispatchQueue(label: "players")
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
/// | `.async(onQueue:)` | on a queue, one at a time |
/// | `.task`, `.task(priority:)` | on the cooperative thread pool, one at a time |
public protocol ValueObservationScheduler: Sendable {
    /// Whether the initial value or error is delivered before `start` returns, on the thread that calls `start`.
    func immediateInitialValue() -> Bool

    /// Runs an action later, after the actions that were scheduled before.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that never runs an action on the thread that schedules it.
protocol OffThreadScheduler {}

extension AsyncValueObservationScheduler: OffThreadScheduler {}
extension DelayedMainActorValueObservationScheduler: OffThreadScheduler {}
extension ImmediateValueObservationScheduler: OffThreadScheduler {}
extension TaskValueObservationScheduler: OffThreadScheduler {}

/// A scheduler whose callbacks are isolated to the main actor.
///
/// ```swift
/// struct MainQueueScheduler: ValueObservationMainActorScheduler {
///     func immediateInitialValue() -> Bool { false }
///     func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
///         DispatchQueue.main.async { MainActor.assumeIsolated(action) }
///     }
/// }
/// ```
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Runs an action on the main actor later, after the actions that were scheduled before.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    /// Runs an action on the main actor later, after the actions that were scheduled before.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        scheduleOnMainActor(action)
    }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Runs callbacks on a queue, one at a time and in order, even on a concurrent queue.
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "players")
    /// let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue)) { error in
    ///     print(error)
    /// } onChange: { players in
    ///     print(players.count)
    /// }
    /// ```
    ///
    /// - Parameter queue: a serial or concurrent queue, such as `.main` or `.global()`.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// Runs callbacks on the main actor, and delivers the initial value before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
    /// Runs callbacks on the main actor, and delivers the initial value before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// Runs callbacks on the main actor, always asynchronously.
    public static var mainActor: DelayedMainActorValueObservationScheduler {
        DelayedMainActorValueObservationScheduler()
    }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// Runs callbacks on the cooperative thread pool, one at a time.
    public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler(priority: nil) }

    /// Runs callbacks on the cooperative thread pool, one at a time.
    ///
    /// ```swift
    /// let values = observation.values(in: dbPool, scheduling: .task(priority: .background))
    /// ```
    ///
    /// - Parameter priority: the priority of the task that runs the callbacks.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority: priority)
    }
}
