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

    /// Calls the closure once, in the place of a call that has not come yet.
    func schedule() {
        let microseconds = delay.withLock { delay in
            defer { delay = min(delay * 2, Self.longest) }
            return delay
        }
        source.schedule(deadline: .now() + .microseconds(microseconds), leeway: .nanoseconds(0))
    }

    /// Begins with the shortest delay again. A call that was scheduled still comes.
    func reset() { delay.withLock { $0 = Self.shortest } }

    func cancel() {
        source.cancel()
        // A source that was never activated cannot be released.
        source.activate()
    }

    deinit { cancel() }
}
