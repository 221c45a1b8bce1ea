#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency
public import AmalgamCore

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension DatabaseRegionObservation {
    /// A publisher of the writing connection, right after each commit that changes the region.
    ///
    /// ```swift
    /// let cancellable = observation.publisher(in: dbQueue).sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: { db in
    ///     print("players have changed:", try? Player.fetchCount(db))
    /// }
    /// ```
    ///
    /// Subscribers are called on the writing connection, before anybody else can write, and use it there and then: operators
    /// that call them elsewhere or later, such as `receive(on:)`, must not come before the values are mapped to others.
    ///
    /// The observation starts when the subscriber asks for a first value, as ``start(in:onError:onChange:)`` does: it
    /// waits for a write access, and has noticed all that is written after `sink` has returned. It goes on until the
    /// subscriber cancels, or until an error, which is the only completion. Transactions that come while the subscriber asks
    /// for nothing are not told.
    ///
    /// - Parameter writer: a queue or a pool.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
        DatabasePublishers.DatabaseRegion(writer: writer, observation: self)
    }
}

extension DatabasePublishers {
    /// The transactions that change a region. Get it with ``DatabaseRegionObservation/publisher(in:)``.
    public struct DatabaseRegion: Publisher, Sendable {
        public typealias Output = Database
        public typealias Failure = any Error

        let writer: any DatabaseWriter
        let observation: DatabaseRegionObservation

        /// Subscribes. The observation starts with the first demand.
        public func receive(subscriber: some Subscriber<Database, any Error>) {
            // What comes without demand does not wait, so nothing is ever scheduled.
            let subscription = ObservationSubscription(Downstream(subscriber), schedule: { $0() }) { subscription in
                observation.start(
                    in: writer, onError: { subscription.fail($0) },
                    onChange: { db in
                        if subscription.buffer.take() { subscription.give(db) }
                    })
            }
            subscriber.receive(subscription: subscription)
        }
    }
}
#endif
