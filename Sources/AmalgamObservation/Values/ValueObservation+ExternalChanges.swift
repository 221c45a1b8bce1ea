extension ValueObservation {
    /// Makes the observation also fetch after commits of other processes, and of other connections of this process.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .includingExternalChanges()
    ///     .removeDuplicates()
    /// ```
    ///
    /// SQLite doesn't report which rows another connection has changed, so the observation fetches after each commit of
    /// another connection. The observation detects these commits with ``DatabaseWriter/externalChanges()``, whose
    /// errors end the observation. An in-memory database isn't supported.
    public func includingExternalChanges() -> Self {
        var observation = self
        observation.settings.includesExternalChanges = true
        return observation
    }
}
