public import AmalgamCore

extension ValueObservation {
    /// Creates an observation that tracks the tables, columns and rows that a closure reads.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in
    ///     try (Team.fetchAll(db), Player.filter { $0.score > 100 }.fetchCount(db))
    /// }
    /// let players = ValueObservation.tracking(Player.fetchAll)
    /// ```
    ///
    /// The closure may execute any SQL, and may read different tables each time. The observation only detects what the
    /// closure reads through SQLite. Register other reads with ``Database/registerAccess(to:)``.
    ///
    /// - Parameter fetch: fetches a value from one state of the database. It runs on any thread, and must not write.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(ObservationSettings(tracking: .whatIsRead)) { ValueReducers.Fetch(fetch) }
    }

    /// Creates an observation that tracks the tables, columns and rows that the first call of a closure reads.
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingConstantRegion { db in try Player.fetchCount(db) }
    /// ```
    ///
    /// This saves the small cost of recording what each fetch reads. Use it only if the closure always reads the same
    /// tables, columns and rows: otherwise, changes are missed.
    ///
    /// With a condition on the rowid, such as `filter(id: 1)`, the observation tracks this row only. With a condition
    /// on another column, such as `filter { $0.teamId == team.id }`, it tracks all rows of the table, because `team.id`
    /// may have a different value in the next fetch. If the request includes a to-many association, the observation
    /// tracks all rows that the association may fetch.
    ///
    /// After tables or views were redefined, the next fetch records its region again.
    @preconcurrency
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(ObservationSettings(tracking: .whatIsReadFirst)) { ValueReducers.Fetch(fetch) }
    }

    /// Creates an observation that tracks the given regions, whatever the closure reads.
    ///
    /// ```swift
    /// // The player, when its score changes.
    /// let observation = ValueObservation.tracking(
    ///     region: Player.select(\.score).filter(id: 1),
    ///     fetch: { db in try Player.fetchOne(db, id: 1) })
    /// ```
    @preconcurrency
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Creates an observation that tracks the given regions, whatever the closure reads.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking(
    ///     regions: [Table("player"), Table("team")],
    ///     fetch: { db in try Player.including(required: Player.team).fetchCount(db) })
    /// ```
    @preconcurrency
    public static func tracking<Value: Sendable>(
        regions: [any DatabaseRegionConvertible], fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(ObservationSettings(tracking: .regions(regions))) { ValueReducers.Fetch(fetch) }
    }
}
