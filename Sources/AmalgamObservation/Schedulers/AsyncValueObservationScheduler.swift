public import Dispatch

/// Calls back on a serial queue. Get it with ``ValueObservationScheduler/async(onQueue:)``.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    private let queue: DispatchQueue

    /// - Parameter queue: a serial queue.
    public init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// False.
    public func immediateInitialValue() -> Bool { false }

    /// Runs an action on the queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async(execute: action)
    }
}
