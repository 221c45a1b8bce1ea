public import AmalgamCore

extension ValueObservation {
    /// An observation that tracks what a closure reads.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in
    ///     try (Team.fetchAll(db), Player.filter { $0.score > 100 }.fetchCount(db))
    /// }
    /// let players = ValueObservation.tracking(Player.fetchAll)
    /// ```
    ///
    /// The closure may read anything, with any SQL, and something else each time. What it cannot know is registered with
    /// ``Database/registerAccess(to:)``.
    ///
    /// - Parameter fetch: sees one state of the database, and must not write. It runs on any thread.
    @preconcurrency
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(ObservationSettings(tracking: .whatIsRead)) { ValueReducers.Fetch(fetch) }
    }

    /// An observation that tracks what a closure reads when it is called first.
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingConstantRegion { db in try Player.fetchCount(db) }
    /// ```
    ///
    /// It spares the recording of what is read, which is little. Use it when the closure always reads the same tables,
    /// columns and rows: else changes are missed. Rows are told apart by the rowids in requests only, not by the values of
    /// other columns, and those of associations to many not at all: such values may come from other rows. What is read is
    /// found out again when tables and views are defined anew.
    @preconcurrency
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(ObservationSettings(tracking: .whatIsReadFirst)) { ValueReducers.Fetch(fetch) }
    }

    /// An observation that tracks given regions, whatever it fetches.
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

    /// An observation that tracks given regions, whatever it fetches.
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
