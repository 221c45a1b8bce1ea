#if canImport(Combine) || OpenCombine
#if canImport(Combine)
package import Combine
#else
package import OpenCombine
#endif

/// An access to a database for each subscriber, which gets the result: what `Read`, `Write` and `Migrate` do.
package struct AccessPublisher<Output: Sendable> {
    /// Begins an access, and returns at once. The access completes the subscription, once.
    package typealias Access = @Sendable (AccessSubscription<Output>) -> Void

    private let scheduler: AccessScheduler
    private let access: Access

    /// - Parameter scheduler: calls the subscribers.
    package init(receiveOn scheduler: some Scheduler, access: @escaping Access) {
        self.scheduler = AccessScheduler(scheduler)
        self.access = access
    }

    package func receive(subscriber: some Subscriber<Output, any Error>) {
        subscriber.receive(
            subscription: AccessSubscription(Downstream(subscriber), on: scheduler, access: access))
    }
}

/// The scheduler that an access gives its result on.
struct AccessScheduler: @unchecked Sendable {
    // Sendable: a scheduler is made for being called on any thread. Some of those are not declared so, such as run loops.
    private let scheduler: any Scheduler

    init(_ scheduler: some Scheduler) {
        self.scheduler = scheduler
    }

    func schedule(_ action: @escaping @Sendable () -> Void) { scheduler.schedule(action) }
}
#endif
