public import Dispatch

/// A scheduler that runs callbacks on a serial queue. See ``ValueObservationScheduler/async(onQueue:)``.
///
/// ```swift
/// let scheduler = AsyncValueObservationScheduler(queue: DispatchQueue(label: "players"))
/// ```
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    private let queue: DispatchQueue

    /// Creates the scheduler.
    ///
    /// - Parameter queue: a serial queue.
    public init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// False: the initial value is delivered asynchronously.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async(execute: action)
    }
}
