/// The changes that make an observation fetch.
///
/// ```swift
/// let observation = ValueObservation
///     .tracking { db in try Player.fetchAll(db) }
///     .triggered(by: .writes)
/// ```
public enum ValueObservationTrigger: Sendable {
    /// Inserts and deletes of tracked rows, and updates of tracked columns, even if the values stay the same.
    case writes

    /// Inserts and deletes of tracked rows, and updates that change the values of tracked columns.
    /// `UPDATE player SET name = name` doesn't make the observation fetch.
    case changes
}

extension ValueObservation {
    /// Sets the changes that make the observation fetch.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchOne(db, id: 1) }
    ///     .triggered(by: .changes)
    /// ```
    ///
    /// The default is `.changes` for observations that deliver the latest values, and `.writes` for observations that
    /// deliver a value for every commit. SQLite's pre-update hook provides the values before and after an update
    /// (<https://sqlite.org/c3ref/preupdate_blobwrite.html>).
    public func triggered(by trigger: ValueObservationTrigger) -> Self {
        var observation = self
        observation.settings.trigger = trigger
        return observation
    }
}
