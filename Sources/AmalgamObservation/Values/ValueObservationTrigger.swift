/// What makes an observation fetch.
public enum ValueObservationTrigger: Sendable {
    /// Statements that change rows of the tracked region, and update tracked columns, even to the values that they have.
    case writes

    /// Rows of the tracked region that have other values in tracked columns than before. `UPDATE player SET name = name`
    /// is none.
    case changes
}

extension ValueObservation {
    /// Says what makes the observation fetch.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchOne(db, id: 1) }
    ///     .triggered(by: .changes)
    /// ```
    ///
    /// By default, it is `.changes` for observations that deliver the latest values, and `.writes` for those that have a
    /// value for every commit. Values before and after an update come from SQLite's pre-update hook
    /// (<https://sqlite.org/c3ref/preupdate_blobwrite.html>).
    public func triggered(by trigger: ValueObservationTrigger) -> Self {
        var observation = self
        observation.settings.trigger = trigger
        return observation
    }
}
