#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency
public import Dispatch

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
import OpenCombineDispatch
#endif

extension DatabaseMigrator {
    /// Returns a publisher that runs the migrations that haven't been applied, once for each subscriber, without
    /// blocking a thread.
    ///
    /// ```swift
    /// let cancellable = migrator.migratePublisher(dbPool).sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: {
    ///     print("the schema is up to date")
    /// }
    /// ```
    ///
    /// The database isn't accessed before the first demand of a subscriber. When all migrations are applied, the
    /// publisher publishes `()` and finishes. If a migration fails, the publisher completes with the error that
    /// ``migrate(_:)`` throws.
    ///
    /// Cancelling a subscription doesn't stop enqueued migrations. It only discards the result of the migrations.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - scheduler: calls subscribers, always asynchronously. The default is the main queue.
    public func migratePublisher(
        _ writer: any DatabaseWriter, receiveOn scheduler: some Scheduler = DispatchQueue.main
    ) -> DatabasePublishers.Migrate {
        DatabasePublishers.Migrate(
            access: AccessPublisher(receiveOn: scheduler) { subscription in
                self.asyncMigrate(writer) { database in subscription.complete(with: database.map { _ in }) }
            })
    }
}

extension DatabasePublishers {
    /// A publisher that runs migrations. It is returned by ``DatabaseMigrator/migratePublisher(_:receiveOn:)``.
    ///
    /// ```swift
    /// let publisher: DatabasePublishers.Migrate = migrator.migratePublisher(dbQueue)
    /// ```
    public struct Migrate: Publisher {
        public typealias Output = Void
        public typealias Failure = any Error

        let access: AccessPublisher<Void>

        /// Adds a subscriber. The migrations begin with the first demand.
        public func receive(subscriber: some Subscriber<Void, any Error>) { access.receive(subscriber: subscriber) }
    }
}
#endif
