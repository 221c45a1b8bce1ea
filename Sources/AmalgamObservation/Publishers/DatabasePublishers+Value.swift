#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension DatabasePublishers {
    /// The values of an observation. Get it with ``ValueObservation/publisher(in:scheduling:)`` or
    /// ``SharedValueObservation/publisher()``.
    public struct Value<Output: Sendable>: Publisher, Sendable {
        public typealias Failure = any Error

        let schedule: DemandBuffer.Schedule
        let start: ObservationSubscription<Output>.Start

        /// Subscribes. The observation starts with the first demand.
        public func receive(subscriber: some Subscriber<Output, any Error>) {
            subscriber.receive(
                subscription: ObservationSubscription(Downstream(subscriber), schedule: schedule, start: start))
        }
    }
}
#endif
