#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher of the values of an observation. It is returned by ``ValueObservation/publisher(in:scheduling:)``
    /// and ``SharedValueObservation/publisher()``.
    ///
    /// ```swift
    /// let publisher: DatabasePublishers.Value<[Player]> = observation.publisher(in: dbPool)
    /// let cancellable = publisher.sink { print($0) } receiveValue: { print($0) }
    /// ```
    public struct Value<Output: Sendable>: Publisher, Sendable {
        public typealias Failure = any Error

        let schedule: DemandBuffer.Schedule
        let start: ObservationSubscription<Output>.Start

        /// Adds a subscriber. The observation starts with the first demand.
        public func receive(subscriber: some Subscriber<Output, any Error>) {
            subscriber.receive(
                subscription: ObservationSubscription(Downstream(subscriber), schedule: schedule, start: start))
        }
    }
}
#endif
