#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency
public import Dispatch

extension ValueObservation {
    /// Returns a publisher of the values. Each subscription starts the observation.
    ///
    /// ```swift
    /// let cancellable = observation.publisher(in: dbPool).sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: { players in
    ///     print("fresh players", players)
    /// }
    /// ```
    ///
    /// The observation starts with the first demand of the subscriber; `sink` and `assign` demand values at once. The
    /// observation ends when the subscriber cancels, or with an error, which is the only completion. Until its end, the
    /// observation retains the database.
    ///
    /// A subscriber never receives more values than it has demanded. What happens without demand depends on the
    /// ``ValueObservationDelivery``:
    ///
    /// - With `.latest`, at most one value waits for demand. Meanwhile, the observation doesn't fetch. All commits made
    ///   during this time cause one fetch.
    /// - With `.everyCommit`, the observation continues to fetch, and all values wait for demand.
    ///
    /// An error doesn't need demand, but is delivered after the values that wait.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool. In a snapshot, the publisher delivers the initial value only.
    ///   - scheduler: calls the subscriber. By default, the subscriber is called on the main queue, always
    ///     asynchronously. With `.immediate`, a subscriber on the main actor receives the initial value or error before
    ///     `sink` returns.
    public func publisher(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
    ) -> DatabasePublishers.Value<Reducer.Value> {
        DatabasePublishers.Value(schedule: scheduler.schedule) { subscription in
            let buffer = subscription.buffer
            // An immediate start delivers the initial value on the starting thread.
            return buffer.whileBusy {
                start(
                    in: reader, scheduling: scheduler,
                    by: { isError, action in buffer.add(isError: isError, action) },
                    onError: { subscription.fail($0) },
                    onChange: { value in
                        buffer.take()
                        subscription.give(value)
                    })
            }
        }
    }
}
#endif
