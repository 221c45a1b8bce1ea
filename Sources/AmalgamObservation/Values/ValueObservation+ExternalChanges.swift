extension ValueObservation {
    /// Also notices the commits that other processes, and other connections of this one, make to the database file.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .includingExternalChanges()
    ///     .removeDuplicates()
    /// ```
    ///
    /// Nothing tells what others have changed: each of their commits makes the observation fetch. It rests on
    /// ``DatabaseWriter/externalChanges()``, whose errors end the observation: a database in memory is refused.
    public func includingExternalChanges() -> Self {
        var observation = self
        observation.settings.includesExternalChanges = true
        return observation
    }
}
