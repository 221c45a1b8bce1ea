/// Which commits an observation has a value for.
public enum ValueObservationDelivery: Sendable {
    /// The last ones: commits that come while a value is fetched, or waits for its consumer, become one. A slow consumer
    /// is never behind by more than one value, and slows nobody down.
    case latest

    /// All of them, after the initial value: a consumer sees each state that a transaction has left, in order. Values
    /// wait in line when the consumer is slower than the writer.
    ///
    /// In a pool, writes go on while the initial value is fetched: commits that come before it is in line become one. When
    /// none of them must be missed, have the initial value fetched with ``ValueObservation/requiresWriteAccess``.
    ///
    /// In a pool, later values are fetched by readers which take hold of each state before the writer goes on. When no reader is
    /// free, the writer fetches by itself.
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
