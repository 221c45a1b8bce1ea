#if canImport(Combine) || OpenCombine
public import AmalgamCore
public import Dispatch

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
import OpenCombineDispatch
#endif

extension DatabaseReader {
    /// A publisher that reads once for each subscriber, without blocking a thread.
    ///
    /// ```swift
    /// let cancellable = dbPool.readPublisher { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// .sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: { count in
    ///     print("players:", count)
    /// }
    /// // BEGIN DEFERRED TRANSACTION, SELECT …, COMMIT TRANSACTION
    /// ```
    ///
    /// The database is not touched before a subscriber wants a value. It gets one, and then `.finished`; or the error of
    /// the closure or of the access, as ``asyncRead(_:)`` has it: writing fails with `SQLITE_READONLY`, a closed
    /// database with `SQLITE_MISUSE`. Subscribers who cancel get nothing more, and a read that has not begun by then does not
    /// begin.
    ///
    /// - Parameters:
    ///   - scheduler: calls subscribers. By default, that is the main queue.
    ///   - value: reads, in one state of the database.
    @preconcurrency
    public func readPublisher<Output: Sendable>(
        receiveOn scheduler: some Scheduler = DispatchQueue.main,
        value: @escaping @Sendable (Database) throws -> Output
    ) -> DatabasePublishers.Read<Output> {
        DatabasePublishers.Read(
            access: AccessPublisher(receiveOn: scheduler) { subscription in
                self.asyncRead { access in
                    guard subscription.isWanted else { return }
                    subscription.complete(with: Result { try value(access.get()) })
                }
            })
    }
}

extension DatabasePublishers {
    /// Reads once for each subscriber. Get it with ``DatabaseReader/readPublisher(receiveOn:value:)``.
    public struct Read<Output: Sendable>: Publisher {
        public typealias Failure = any Error

        let access: AccessPublisher<Output>

        /// Subscribes. The read begins with the first demand.
        public func receive(subscriber: some Subscriber<Output, any Error>) { access.receive(subscriber: subscriber) }
    }
}
#endif
