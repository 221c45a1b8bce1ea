#if canImport(Combine) || OpenCombine
public import AmalgamConcurrency

extension SharedValueObservation {
    /// The values, as a publisher. Each subscriber of the publisher is one of the shared observation.
    ///
    /// ```swift
    /// let cancellable = shared.publisher()
    ///     .map { players in players.filter { $0.score > 10 } }
    ///     .sink { completion in … } receiveValue: { players in … }
    /// ```
    ///
    /// It is called by the scheduler of the shared observation, and gets the last value first, if there is one. It is
    /// subscribed as soon as it asks for a first value, and until it cancels, or until an error, which is the only
    /// completion.
    ///
    /// A subscriber never gets more than it asks for. As others do not wait for it, it gets the newest value when it asks
    /// for one: those before are skipped, unless it has asked for them in time.
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
