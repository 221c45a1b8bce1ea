public import Dispatch

/// A scheduler that runs callbacks on a queue, one at a time and in order. See
/// ``ValueObservationScheduler/async(onQueue:)``.
///
/// ```swift
/// let scheduler = AsyncValueObservationScheduler(queue: DispatchQueue(label: "players"))
/// ```
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    /// A serial queue, whose target is the queue of the application. A concurrent queue alone would run callbacks at the
    /// same time, and in another order.
    private let queue: DispatchQueue

    /// Creates the scheduler.
    ///
    /// - Parameter queue: a serial or concurrent queue. The scheduler runs one callback at a time on it, in order.
    public init(queue: DispatchQueue) {
        self.queue = DispatchQueue(label: queue.label, target: queue)
    }

    /// False: the initial value is delivered asynchronously.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the queue, after the actions that were scheduled before.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async(execute: action)
    }
}
