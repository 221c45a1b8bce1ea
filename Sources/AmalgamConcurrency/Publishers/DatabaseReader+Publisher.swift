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
    /// Returns a publisher that reads once per subscriber, without blocking a thread.
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
    /// The read starts with the first demand. The subscriber receives one value and `.finished`, or the error of the
    /// closure or of the access: a write in the closure throws `SQLITE_READONLY`, and a closed database throws
    /// `SQLITE_MISUSE`. A subscriber that cancels receives nothing more. If the read hasn't begun by then, its closure
    /// doesn't run.
    ///
    /// - Parameters:
    ///   - scheduler: the scheduler on which subscribers receive values. By default, it is the main queue.
    ///   - value: reads the value, in a read transaction.
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
    /// A publisher that reads once per subscriber. ``DatabaseReader/readPublisher(receiveOn:value:)`` returns it.
    ///
    /// ```swift
    /// let count: DatabasePublishers.Read<Int> = dbPool.readPublisher { db in
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
    /// }
    /// ```
    public struct Read<Output: Sendable>: Publisher {
        public typealias Failure = any Error

        let access: AccessPublisher<Output>

        /// Adds a subscriber. Its first demand starts the read.
        public func receive(subscriber: some Subscriber<Output, any Error>) { access.receive(subscriber: subscriber) }
    }
}
#endif
