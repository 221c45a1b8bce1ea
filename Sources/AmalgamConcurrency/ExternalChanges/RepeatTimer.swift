import Dispatch
import Synchronization

/// Calls a closure after a delay that doubles each time, from 0.1 to 100 milliseconds.
final class RepeatTimer: @unchecked Sendable {
    // Sendable: a dispatch source may be used from any thread.
    private let source: any DispatchSourceTimer
    private let delay = Mutex(shortest)

    static let shortest = 100
    static let longest = 100_000

    init(queue: DispatchQueue) {
        source = DispatchSource.makeTimerSource(queue: queue)
    }

    func activate(_ handler: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: handler)
        source.activate()
    }

    /// Schedules one call of the closure. A call that is still pending is replaced.
    func schedule() {
        let microseconds = delay.withLock { delay in
            defer { delay = min(delay * 2, Self.longest) }
            return delay
        }
        source.schedule(deadline: .now() + .microseconds(microseconds), leeway: .nanoseconds(0))
    }

    /// Resets the delay to its minimum. A pending call is not cancelled.
    func reset() { delay.withLock { $0 = Self.shortest } }

    func cancel() {
        source.cancel()
        // Dispatch traps when a source is released that was never activated.
        source.activate()
    }

    deinit { cancel() }
}
