public import AmalgamConcurrency
public import Dispatch
import Synchronization

/// One observation for many subscribers: a value is fetched once, and given to all of them.
///
/// ```swift
/// let shared = ValueObservation
///     .tracking { db in try Player.fetchAll(db) }
///     .shared(in: dbPool)
///
/// let first = shared.start { error in … } onChange: { players in … }
/// let second = shared.start { error in … } onChange: { players in … }   // fetches nothing
/// ```
///
/// A subscriber that comes later gets the last value first.
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

    /// Subscribes, and starts the observation if it has not been started yet.
    ///
    /// - Parameters:
    ///   - onError: called once, with the error that ends the observation.
    ///   - onChange: called with each value, by the scheduler of the shared observation.
    /// - Returns: what ends the subscription, on demand or when it is released.
    @preconcurrency
    public func start(
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        let subscription = SharedSubscription(onError: onError, onChange: onChange)
        hub.subscribe(subscription)
        // With `.observationLifetime`, a subscription keeps the observation going, too.
        return AnyDatabaseCancellable { [hub] in hub.unsubscribe(subscription) }
    }

    /// The values, as an asynchronous sequence. Each loop over it is a subscription.
    ///
    /// ```swift
    /// let shared = observation.shared(in: dbPool, scheduling: .task)
    /// for try await players in shared.values() { print(players) }
    /// ```
    ///
    /// - Parameter bufferingPolicy: what becomes of values that come while the loop is busy.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            self.start(onError: onError, onChange: onChange)
        }
    }
}

extension ValueObservation {
    /// Shares the observation between subscribers: a value is fetched once for all of them.
    ///
    /// ```swift
    /// let shared = observation.shared(in: dbPool)
    /// ```
    ///
    /// Operators such as ``map(_:)`` come before `shared`. Nothing is fetched before the first subscription.
    ///
    /// - Parameters:
    ///   - scheduler: calls all subscribers back.
    ///   - extent: how long the observation goes on.
    public func shared(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        SharedValueObservation(extent: extent, scheduler: scheduler) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}
