#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency
public import AmalgamCore

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension DatabaseRegionObservation {
    /// Returns a publisher that publishes the writing connection after each commit that changes the region.
    ///
    /// ```swift
    /// let observation = DatabaseRegionObservation(tracking: Player.all())
    /// let cancellable = observation.publisher(in: dbQueue).sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: { db in
    ///     print((try? Player.fetchCount(db)) ?? 0, "players")
    /// }
    /// ```
    ///
    /// Subscribers are called on the writing connection, before another database access can write. They must use the
    /// connection in this call only. Therefore, first map the connection to another value, and only then use operators
    /// that call later or on other threads, such as `receive(on:)`.
    ///
    /// The observation starts with the first demand of the subscriber. As with ``start(in:onError:onChange:)``, the
    /// start waits until it can access the writing connection. All writes after `sink` has returned are observed. The
    /// observation ends when the subscriber cancels, or with an error, which is the only completion. Transactions that
    /// commit while there is no demand are skipped.
    ///
    /// - Parameter writer: a queue or a pool.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
        DatabasePublishers.DatabaseRegion(writer: writer, observation: self)
    }
}

extension DatabasePublishers {
    /// A publisher that publishes the writing connection after each transaction that changes a region. It is returned
    /// by ``DatabaseRegionObservation/publisher(in:)``.
    ///
    /// ```swift
    /// let publisher = DatabaseRegionObservation(tracking: Player.all()).publisher(in: dbQueue)
    /// let cancellable = publisher.sink { print($0) } receiveValue: { print($0) }
    /// ```
    public struct DatabaseRegion: Publisher, Sendable {
        public typealias Output = Database
        public typealias Failure = any Error

        let writer: any DatabaseWriter
        let observation: DatabaseRegionObservation

        /// Adds a subscriber. The observation starts with the first demand.
        public func receive(subscriber: some Subscriber<Database, any Error>) {
            // Transactions without demand are skipped, not buffered, so no action is ever scheduled.
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
