public import AmalgamCore

/// Notifies fresh values when a database has changed.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in
///     try Player.order(\.score.desc).limit(10).fetchAll(db)
/// }
/// let cancellable = observation.start(in: dbPool) { error in
///     print(error)
/// } onChange: { players in
///     print("best players", players)
/// }
/// ```
///
/// An observation is a description, which does nothing before it is started. It may be started any number of times.
///
/// ### What is noticed
///
/// The initial value comes first. Then a value is fetched when a commit has changed what the observation tracks: the
/// tables, columns and rows that its fetch reads, or those that are named
/// (``tracking(region:_:fetch:)``). Rows are known by the equalities of a request: with `filter(id: "x")` or
/// `filter { $0.teamId == 1 }`, rows that have other values before and after a change are not looked at. Changes by
/// triggers and foreign keys count, and so do rows that `REPLACE` removes, rows of WITHOUT ROWID tables, and those of a
/// `DELETE` without `WHERE`. Other connections and processes are noticed on demand: ``includingExternalChanges()``. What is
/// rolled back is never noticed.
///
/// Definitions of tables and views are no changes by themselves: after an `ALTER TABLE`, or when a view is made anew, a
/// value is fetched with the next change, of whatever, and from then on the observation tracks what is there now.
///
/// ### Where values are fetched
///
/// In a ``DatabasePool``, on a reader which sees exactly what the commit has left, while the writer goes on. Commits that
/// come while a value is fetched, or waits for its consumer, become one: the last state always arrives. In a
/// ``DatabaseQueue``, on the only connection, right after the commit: there is a value for each commit, none is missed.
/// ``delivering(_:)`` chooses the one or the other.
///
/// Starting never waits for a write of a pool. The initial value is fetched once, whatever the state of the WAL file; it
/// is fetched a second time only when a commit came in between.
///
/// A started observation retains the database. It ends when it is cancelled, when the cancellable is released, or with
/// the first error; ``results()`` makes it go on after errors. Read-only databases and snapshots do not change: they give
/// the initial value.
///
/// ### Interruptions and suspensions
///
/// A fetch that fails while another thread calls `interrupt()` is repeated. A fetch that fails because the database is suspended
/// (`suspend()`, ``Database/suspendNotification``) is repeated when the suspension ends. Neither ends the observation. The only
/// exception is an immediate start, which must have a value before it returns: it reports `SQLITE_INTERRUPT` or `SQLITE_ABORT`.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
    var settings: ObservationSettings
    let makeReducer: @Sendable () -> Reducer

    init(_ settings: ObservationSettings, makeReducer: @escaping @Sendable () -> Reducer) {
        self.settings = settings
        self.makeReducer = makeReducer
    }

    /// An observation that tracks what the fetcher of a reducer reads.
    ///
    /// - Parameter makeReducer: makes the reducer of a start.
    public init(makeReducer: @escaping @Sendable () -> Reducer) {
        self.init(ObservationSettings(tracking: .whatIsRead), makeReducer: makeReducer)
    }

    /// An observation that tracks given regions.
    ///
    /// - Parameters:
    ///   - regions: what is tracked, whatever the fetcher reads.
    ///   - makeReducer: makes the reducer of a start.
    public init(
        tracking regions: [any DatabaseRegionConvertible], makeReducer: @escaping @Sendable () -> Reducer
    ) {
        self.init(ObservationSettings(tracking: .regions(regions)), makeReducer: makeReducer)
    }

    /// Whether the fetch may write. By default it may not: writing throws `SQLITE_READONLY`.
    ///
    /// ```swift
    /// var observation = ValueObservation.tracking { db in try makeReport(db) }
    /// observation.requiresWriteAccess = true
    /// ```
    ///
    /// The fetch runs on the writing connection then, in a transaction which is undone when it throws. What it writes
    /// does not make the observation fetch again.
    public var requiresWriteAccess: Bool {
        get { settings.requiresWriteAccess }
        set { settings.requiresWriteAccess = newValue }
    }

    /// The same observation, with another reducer.
    func reducing<NewReducer>(
        _ transform: @escaping @Sendable (Reducer) -> NewReducer
    ) -> ValueObservation<NewReducer> {
        ValueObservation<NewReducer>(settings) { [makeReducer] in transform(makeReducer()) }
    }
}
