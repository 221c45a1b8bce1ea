/// The commits for which an observation delivers a value.
///
/// ```swift
/// let observation = ValueObservation
///     .tracking { db in try Player.fetchAll(db) }
///     .delivering(.latest)
/// ```
public enum ValueObservationDelivery: Sendable {
    /// The observation delivers the latest state. Commits during a fetch, or while a value waits for its consumer, are
    /// coalesced into one value. A slow consumer is behind by one value at most, and doesn't slow down other threads.
    case latest

    /// The observation delivers a value for each commit after the initial value: its consumer receives each state that
    /// a transaction has left, in order. Values wait in a queue if the consumer is slower than the writer.
    ///
    /// In a pool, writes continue while the initial value is fetched, unless all readers are in use at the start, so that
    /// the writer connection fetches. The reader connection that fetched the initial
    /// value then reads, one by one, the states that these writes have left. Checkpoints can't complete during this
    /// time. The observation delivers a value for each transaction whose `write` is called after `start` has returned.
    /// Transactions that run, or wait for the writer connection, when the first observation of the pool starts may be
    /// coalesced into one value.
    ///
    /// In a pool, reader connections fetch the later values: each reader acquires its snapshot before the writer
    /// continues. If no reader is available, the writer connection fetches.
    ///
    /// Commits are coalesced in other cases:
    ///
    /// - Databases are attached to the connections of a pool, and commits occur while the initial value is fetched.
    /// - A fetch reads a table that the observation didn't track before, and several commits have changed this table
    ///   since the fetch began.
    /// - Another thread interrupts or suspends the fetches of several commits.
    case everyCommit
}

extension ValueObservation {
    /// Sets the commits for which the observation delivers a value.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE id = 1")! }
    ///     .delivering(.everyCommit)
    /// ```
    ///
    /// The default is `.latest` in a ``DatabasePool``. It is `.everyCommit` in a ``DatabaseQueue``, and when the fetch
    /// ``requiresWriteAccess``. With `debounce` and `throttle`, the delivery is always `.latest`.
    public func delivering(_ delivery: ValueObservationDelivery) -> Self {
        var observation = self
        observation.settings.delivery = delivery
        return observation
    }
}
