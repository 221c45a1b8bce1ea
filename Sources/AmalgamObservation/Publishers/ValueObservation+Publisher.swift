#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency
public import Dispatch

extension ValueObservation {
    /// The values, as a publisher. Each subscription starts the observation.
    ///
    /// ```swift
    /// let cancellable = observation.publisher(in: dbPool).sink { completion in
    ///     if case .failure(let error) = completion { print(error) }
    /// } receiveValue: { players in
    ///     print("fresh players", players)
    /// }
    /// ```
    ///
    /// The observation starts when the subscriber asks for a first value, which `sink` and `assign` do at once. It goes on
    /// until the subscriber cancels, or until an error, which is the only completion. Meanwhile it keeps the database.
    ///
    /// A subscriber never gets more than it asks for. Values wait for one that asks for few, as for any slow consumer: see
    /// ``ValueObservationDelivery``. With `.latest`, one value waits, nothing is fetched meanwhile, and the commits until
    /// then become one. An error comes when the values before it are taken.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool. What a snapshot reads does not change: it gives the initial value only.
    ///   - scheduler: calls the subscriber. By default, that is the main queue, always later. With `.immediate`, a
    ///     subscriber on the main actor has got the initial value, or the error, before `sink` returns.
    public func publisher(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
    ) -> DatabasePublishers.Value<Reducer.Value> {
        DatabasePublishers.Value(schedule: scheduler.schedule) { subscription in
            let buffer = subscription.buffer
            // The initial value may be given by the thread that starts.
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
