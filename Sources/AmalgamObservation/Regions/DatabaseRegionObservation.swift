public import AmalgamConcurrency
public import AmalgamCore

/// Tells of each transaction that changes a part of a database.
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
/// It tells of commits, one by one, right after them and before anybody else can write. For fresh values, use
/// ``ValueObservation``. Definitions of tables and views are no changes by themselves; the regions of requests are those of the
/// schema of today.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    /// Tracks tables, requests and other regions.
    public init(tracking regions: any DatabaseRegionConvertible...) {
        self.init(tracking: regions)
    }

    /// Tracks tables, requests and other regions.
    public init(tracking regions: [any DatabaseRegionConvertible]) {
        self.regions = regions
    }

    /// Starts the observation.
    ///
    /// It begins at once when it is called from a write access, and else waits for one: all writes that come after this
    /// method has returned are noticed.
    ///
    /// - Parameters:
    ///   - onError: called with the error of a region that cannot be computed, before this method returns. It ends the
    ///     observation.
    ///   - onChange: called after each commit that changes the region, on the writing connection, which it may use.
    /// - Returns: what stops the observation, on demand or when it is released.
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
