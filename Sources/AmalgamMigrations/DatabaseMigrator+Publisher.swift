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
    /// A publisher that runs the migrations that were not applied yet, for each subscriber, without blocking a thread.
    ///
    /// ```swift
    /// let cancellable = migrator.migratePublisher(dbPool).sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: {
    ///     print("the schema is up to date")
    /// }
    /// ```
    ///
    /// The database is not touched before a subscriber wants a value. It gets `()` once all migrations are applied, and then
    /// `.finished`; or the error of the migration that failed, as ``migrate(_:)`` throws it.
    ///
    /// Migrations that were asked for are run: subscribers who cancel get nothing more, but no migration stops half-way.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - scheduler: calls subscribers, always later. By default, that is the main queue.
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
    /// Runs migrations for each subscriber. Get it with ``DatabaseMigrator/migratePublisher(_:receiveOn:)``.
    public struct Migrate: Publisher {
        public typealias Output = Void
        public typealias Failure = any Error

        let access: AccessPublisher<Void>

        /// Subscribes. Migrations begin with the first demand.
        public func receive(subscriber: some Subscriber<Void, any Error>) { access.receive(subscriber: subscriber) }
    }
}
#endif
