import Foundation

/// Runs a closure, and returns the time for which the processor has run this thread. Other processes don't change it.
package func threadTime(_ body: () throws -> Void) rethrows -> Duration {
    let start = threadClock()
    try body()
    return threadClock() - start
}

private func threadClock() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
