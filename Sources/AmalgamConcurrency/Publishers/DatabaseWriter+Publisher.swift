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
    /// Returns a publisher that writes once per subscriber, in a transaction, without blocking a thread.
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
    /// The write starts with the first demand. After the commit, the subscriber receives one value and `.finished`.
    /// After an error of the closure or of the commit, all changes are rolled back, and the subscriber receives the
    /// error. If the database is closed, the error is `SQLITE_MISUSE`.
    ///
    /// A subscriber that cancels receives nothing more, but a write that was started is still performed and committed.
    ///
    /// - Parameters:
    ///   - scheduler: the scheduler on which subscribers receive values. By default, it is the main queue.
    ///   - updates: writes to the database, and returns the value.
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

    /// Returns a publisher that writes once per subscriber, in a transaction, and then reads the committed state.
    ///
    /// ```swift
    /// let cancellable = dbPool.writePublisher { db in
    ///     var player = Player(name: "Anna", score: 0)
    ///     try player.insert(db)
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
    /// The read sees exactly the state after the transaction. In a pool, it runs concurrently with the next writes: see
    /// ``spawnConcurrentRead(_:)``. An error of the read fails the publisher, but doesn't roll back the write.
    /// Otherwise, the publisher behaves as that of ``writePublisher(receiveOn:updates:)``.
    ///
    /// - Parameters:
    ///   - scheduler: the scheduler on which subscribers receive values. By default, it is the main queue.
    ///   - updates: writes to the database.
    ///   - value: reads the published value. It receives the result of `updates`. Writes in it throw `SQLITE_READONLY`.
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
    /// A publisher that writes once per subscriber. ``DatabaseWriter/writePublisher(receiveOn:updates:)`` and
    /// ``DatabaseWriter/writePublisher(receiveOn:updates:thenRead:)`` return it.
    ///
    /// ```swift
    /// let deletion: DatabasePublishers.Write<Void> = dbPool.writePublisher { db in
    ///     try db.execute(sql: "DELETE FROM player")
    /// }
    /// ```
    public struct Write<Output: Sendable>: Publisher {
        public typealias Failure = any Error

        let access: AccessPublisher<Output>

        /// Adds a subscriber. Its first demand starts the write.
        public func receive(subscriber: some Subscriber<Output, any Error>) { access.receive(subscriber: subscriber) }
    }
}
#endif
