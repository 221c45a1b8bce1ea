#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency

extension SharedValueObservation {
    /// Returns a publisher of the values. Each of its subscribers is a subscriber of the shared observation.
    ///
    /// ```swift
    /// let cancellable = shared.publisher()
    ///     .map { players in players.filter { $0.score > 10 } }
    ///     .sink { print($0) } receiveValue: { print($0) }
    /// ```
    ///
    /// The scheduler of the shared observation calls the subscriber. If the shared observation is running and has
    /// delivered values, the subscriber first receives the last of them. The subscription begins with the first demand.
    /// It ends when the subscriber cancels, or with an error, which is the only completion.
    ///
    /// A subscriber never receives more values than it has demanded. Other subscribers don't wait for a slow
    /// subscriber. While a subscriber has no demand, it misses all values except the newest one, which it receives when
    /// it demands a value again.
    public func publisher() -> DatabasePublishers.Value<Element> {
        DatabasePublishers.Value(schedule: scheduler.schedule) { subscription in
            let buffer = subscription.buffer
            return self.start(
                onError: { error in buffer.runNewest(isError: true) { subscription.fail(error) } },
                onChange: { value in
                    buffer.runNewest(isError: false) {
                        buffer.take()
                        subscription.give(value)
                    }
                })
        }
    }
}
#endif
