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
    /// A subscriber never receives more values than it has demanded. Without demand, values wait as for any slow
    /// consumer: see ``ValueObservationDelivery``. With `.latest`, at most one value waits. The observation doesn't
    /// fetch while this value waits, and the commits made during this time cause one fetch. An error is delivered after
    /// the values before it.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool. In a snapshot, the publisher delivers the initial value only.
    ///   - scheduler: calls the subscriber. The default is the main queue, always asynchronously. With `.immediate`, a
    ///     subscriber on the main actor receives the initial value or error before `sink` returns.
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
