/// Which commits an observation has a value for.
public enum ValueObservationDelivery: Sendable {
    /// The last ones: commits that come while a value is fetched, or waits for its consumer, become one. A slow consumer
    /// is never behind by more than one value, and slows nobody down.
    case latest

    /// All of them, after the initial value: a consumer sees each state that a transaction has left, in order. Values
    /// wait in a queue when the consumer is slower than the writer.
    ///
    /// In a pool, writes go on while the initial value is fetched: the states that they leave are read after it, one by one, by
    /// the same reader, which keeps checkpoints away meanwhile. So there is a value for each transaction that is asked for after
    /// `start` has returned. Those that were already asked for when the first observation of a pool starts may become one.
    ///
    /// In a pool, later values are fetched by readers which take hold of each state before the writer goes on. When no reader is
    /// free, the writer fetches by itself. When a value makes the observation track another table, commits that have changed
    /// that table since become one, and so do commits whose fetches are interrupted or fall into a suspension.
    case everyCommit
}

extension ValueObservation {
    /// Says which commits there is a value for.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE id = 1")! }
    ///     .delivering(.everyCommit)
    /// ```
    ///
    /// By default, it is `.latest` in a ``DatabasePool``, and `.everyCommit` in a ``DatabaseQueue`` and when the fetch
    /// ``requiresWriteAccess``. `debounce` and `throttle` are for `.latest`.
    public func delivering(_ delivery: ValueObservationDelivery) -> Self {
        var observation = self
        observation.settings.delivery = delivery
        return observation
    }
}
