#if canImport(Combine) || OpenCombine
#if canImport(Combine)
package import Combine
#else
package import OpenCombine
#endif

/// Starts one database access per subscriber, and publishes the result. This type implements the public publishers
/// `Read`, `Write` and `Migrate`.
package struct AccessPublisher<Output: Sendable> {
    /// Starts an access, and returns immediately. When the access ends, it completes the subscription.
    package typealias Access = @Sendable (AccessSubscription<Output>) -> Void

    private let scheduler: AccessScheduler
    private let access: Access

    /// - Parameters:
    ///   - scheduler: the scheduler on which subscribers receive values.
    ///   - access: starts the access of a subscription.
    package init(receiveOn scheduler: some Scheduler, access: @escaping Access) {
        self.scheduler = AccessScheduler(scheduler)
        self.access = access
    }

    package func receive(subscriber: some Subscriber<Output, any Error>) {
        subscriber.receive(
            subscription: AccessSubscription(Downstream(subscriber), on: scheduler, access: access))
    }
}

/// The scheduler on which the result of an access is delivered.
struct AccessScheduler: @unchecked Sendable {
    // Sendable: schedulers may be called from any thread, but some scheduler types, such as `RunLoop`, aren't declared
    // Sendable.
    private let scheduler: any Scheduler

    init(_ scheduler: some Scheduler) {
        self.scheduler = scheduler
    }

    func schedule(_ action: @escaping @Sendable () -> Void) { scheduler.schedule(action) }
}
#endif
