#if canImport(Combine) || OpenCombine
public import AmalgamCore
public import Dispatch

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
import OpenCombineDispatch
#endif

extension DatabaseWriter {
    /// A publisher that writes once for each subscriber, in a transaction, without blocking a thread.
    ///
    /// ```swift
    /// let cancellable = dbPool.writePublisher { db -> Int in
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    ///     return db.changesCount
    /// }
    /// .sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: { count in
    ///     print("deleted:", count)
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, DELETE …, COMMIT TRANSACTION
    /// ```
    ///
    /// The database is not touched before a subscriber wants a value. It gets one, once the transaction is committed, and
    /// then `.finished`; or the error of the closure or of the commit, once all changes are undone, or `SQLITE_MISUSE` of a
    /// closed database.
    ///
    /// A write that was asked for is done: subscribers who cancel get nothing more, but no change is lost.
    ///
    /// - Parameters:
    ///   - scheduler: calls subscribers. By default, that is the main queue.
    ///   - updates: writes.
    @preconcurrency
    public func writePublisher<Output: Sendable>(
        receiveOn scheduler: some Scheduler = DispatchQueue.main,
        updates: @escaping @Sendable (Database) throws -> Output
    ) -> DatabasePublishers.Write<Output> {
        DatabasePublishers.Write(
            access: AccessPublisher(receiveOn: scheduler) { subscription in
                self.asyncWrite(updates) { _, result in subscription.complete(with: result) }
            })
    }

    /// A publisher that writes once for each subscriber, in a transaction, and then reads what it has left.
    ///
    /// ```swift
    /// let cancellable = dbPool.writePublisher { db in
    ///     try Player(name: "Anna").insert(db)
    /// } thenRead: { db, _ in
    ///     try Player.fetchAll(db)
    /// }
    /// .sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: { players in
    ///     print(players)
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, INSERT …, COMMIT TRANSACTION
    /// // BEGIN DEFERRED TRANSACTION, SELECT …, COMMIT TRANSACTION
    /// ```
    ///
    /// The read sees exactly the state that the transaction has left. In a pool, it runs beside the next writes, which it
    /// does not hold up: see ``spawnConcurrentRead(_:)``. All else is as in ``writePublisher(receiveOn:updates:)``. An
    /// error of the read fails the publisher, and undoes nothing.
    ///
    /// - Parameters:
    ///   - scheduler: calls subscribers. By default, that is the main queue.
    ///   - updates: writes.
    ///   - value: reads. It is given the result of `updates`. Writing fails with `SQLITE_READONLY`.
    @preconcurrency
    public func writePublisher<Updated: Sendable, Output: Sendable>(
        receiveOn scheduler: some Scheduler = DispatchQueue.main,
        updates: @escaping @Sendable (Database) throws -> Updated,
        thenRead value: @escaping @Sendable (Database, Updated) throws -> Output
    ) -> DatabasePublishers.Write<Output> {
        DatabasePublishers.Write(
            access: AccessPublisher(receiveOn: scheduler) { subscription in
                self.asyncWrite(updates) { _, result in
                    guard subscription.isWanted else { return }
                    switch result {
                    case .success(let updated):
                        self.spawnConcurrentRead { access in
                            subscription.complete(with: Result { try value(access.get(), updated) })
                        }
                    case .failure(let error): subscription.complete(with: .failure(error))
                    }
                }
            })
    }
}

extension DatabasePublishers {
    /// Writes once for each subscriber. Get it with ``DatabaseWriter/writePublisher(receiveOn:updates:)`` or
    /// ``DatabaseWriter/writePublisher(receiveOn:updates:thenRead:)``.
    public struct Write<Output: Sendable>: Publisher {
        public typealias Failure = any Error

        let access: AccessPublisher<Output>

        /// Subscribes. The write begins with the first demand.
        public func receive(subscriber: some Subscriber<Output, any Error>) { access.receive(subscriber: subscriber) }
    }
}
#endif
