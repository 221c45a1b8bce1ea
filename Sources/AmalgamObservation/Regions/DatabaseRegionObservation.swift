public import AmalgamConcurrency
public import AmalgamCore

/// An observation that calls a closure after each transaction that changes a part of a database.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: Player.all(), Team.all())
/// let cancellable = observation.start(in: dbQueue) { error in
///     print(error)
/// } onChange: { db in
///     print("players or teams have changed")
/// }
/// ```
///
/// The closure runs right after each commit, before another database access can write. To fetch values after changes,
/// use ``ValueObservation``. A change of the schema, such as `ALTER TABLE`, doesn't call the closure. It makes the
/// observation compute its region again.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    /// Creates an observation of tables, requests and other regions.
    ///
    /// ```swift
    /// let observation = DatabaseRegionObservation(tracking: Player.all(), Table("team"))
    /// ```
    public init(tracking regions: any DatabaseRegionConvertible...) {
        self.init(tracking: regions)
    }

    /// Creates an observation of tables, requests and other regions.
    ///
    /// ```swift
    /// let regions: [any DatabaseRegionConvertible] = [Table("player"), Table("team")]
    /// let observation = DatabaseRegionObservation(tracking: regions)
    /// ```
    public init(tracking regions: [any DatabaseRegionConvertible]) {
        self.regions = regions
    }

    /// Starts the observation.
    ///
    /// ```swift
    /// let observation = DatabaseRegionObservation(tracking: Player.all())
    /// let cancellable = observation.start(in: dbQueue) { print($0) } onChange: { db in
    ///     print((try? Player.fetchCount(db)) ?? 0, "players")
    /// }
    /// ```
    ///
    /// A call from inside of a write access, such as the closure of `write`, starts the observation at once. Otherwise,
    /// this method waits until it can access the writing connection. All writes after this method has returned are
    /// observed.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - onError: called before this method returns if the observation can't start, for example because a region
    ///     can't be computed. The observation has then ended.
    ///   - onChange: called after each commit that changes the region, with the writing connection, which it may use.
    /// - Returns: a cancellable. Cancelling or releasing the cancellable stops the observation.
    @preconcurrency
    public func start(
        in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        guard let database = writer.unerased as? any ObservableDatabase else {
            onError(DatabaseError(resultCode: .SQLITE_MISUSE, message: "Only queues and pools can be observed."))
            return AnyDatabaseCancellable {}
        }
        let run = RegionObservationRun(database, tracking: regions, onChange)
        do {
            try database.unsafeReentrantWrite { db in
                ObservationHub.of(database).begin(run, try run.trackedRegion(db), db)
            }
        } catch {
            run.cancel()
            onError(error)
        }
        return AnyDatabaseCancellable { run.cancel() }
    }
}
