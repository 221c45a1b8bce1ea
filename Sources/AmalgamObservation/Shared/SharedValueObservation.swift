public import AmalgamConcurrency
public import Dispatch
import Synchronization

/// An observation with many subscribers. Each value is fetched once, and delivered to all of them.
///
/// ```swift
/// let shared = ValueObservation
///     .tracking { db in try Player.fetchAll(db) }
///     .shared(in: dbPool)
///
/// let first = shared.start { print($0) } onChange: { print($0) }
/// let second = shared.start { print($0) } onChange: { print($0) }   // no additional fetch
/// ```
///
/// A subscriber that is added later first receives the last value that was delivered to the others.
public final class SharedValueObservation<Element: Sendable>: Sendable {
    private let hub: SharedHub<Element>
    private let extent: SharedValueObservationExtent
    let scheduler: any ValueObservationScheduler

    init(
        extent: SharedValueObservationExtent, scheduler: any ValueObservationScheduler,
        start: @escaping AsyncValueObservation<Element>.Start
    ) {
        self.extent = extent
        self.scheduler = scheduler
        hub = SharedHub(restarts: extent == .whileObserved, scheduler: scheduler, startObservation: start)
    }

    /// Subscribes to the observation, and starts it if it isn't running.
    ///
    /// ```swift
    /// let cancellable = shared.start { error in print(error) } onChange: { players in print(players.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - onError: called once, with the error that ends the observation.
    ///   - onChange: called with each value, by the scheduler of the shared observation.
    /// - Returns: a cancellable. Cancelling or releasing the cancellable ends the subscription.
    @preconcurrency
    public func start(
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        let subscription = SharedSubscription(onError: onError, onChange: onChange)
        hub.subscribe(subscription)
        // The closure retains the hub: with `.observationLifetime`, a subscription retains the observation as well.
        return AnyDatabaseCancellable { [hub] in hub.unsubscribe(subscription) }
    }

    /// The values, as an asynchronous sequence. Each loop over it is a subscription.
    ///
    /// ```swift
    /// let shared = observation.shared(in: dbPool, scheduling: .task)
    /// for try await players in shared.values() { print(players) }
    /// ```
    ///
    /// - Parameter bufferingPolicy: the policy for values that are delivered while the loop handles an earlier value.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            self.start(onError: onError, onChange: onChange)
        }
    }
}

extension ValueObservation {
    /// Shares the observation between subscribers: each value is fetched once for all of them.
    ///
    /// ```swift
    /// let shared = observation.shared(in: dbPool)
    /// ```
    ///
    /// Call operators such as ``map(_:)`` before `shared`. Nothing is fetched before the first subscription.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool.
    ///   - scheduler: runs the callbacks of all subscribers.
    ///   - extent: when the observation ends.
    public func shared(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        SharedValueObservation(extent: extent, scheduler: scheduler) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}
