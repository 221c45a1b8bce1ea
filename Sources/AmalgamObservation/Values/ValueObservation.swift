public import AmalgamCore

/// An observation that fetches values from a database, and fetches them again after each change.
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
/// An observation is a description, and does nothing until it is started. It can be started any number of times.
///
/// ### Changes that trigger a fetch
///
/// The initial value comes first. After that, a value is fetched when a commit has changed the tracked region: the
/// tables, columns and rows that the fetch reads by statements and methods of this package, or the regions given to
/// ``tracking(region:_:fetch:)``. Equality
/// conditions of a request limit the tracked rows: with `filter(id: "x")` or `filter { $0.teamId == 1 }`, the change of
/// a row triggers a fetch only if the column has the value of the condition before or after the change.
///
/// Changes by triggers and foreign key actions count, too. So do the deletions of `REPLACE` and of a `DELETE` without
/// `WHERE`, and changes of WITHOUT ROWID tables. Changes that are rolled back never trigger a fetch. To observe commits
/// of other connections and processes as well, use ``includingExternalChanges()``.
///
/// Changes of the schema don't trigger a fetch by themselves: after an `ALTER TABLE`, or after a view was redefined,
/// the next change of any table triggers a fetch, and the observation tracks what this fetch reads.
///
/// These changes trigger no fetch. Report them by ``Database/notifyChanges(in:)``:
///
/// - `VACUUM` may give new rowids to the rows of a table without an `INTEGER PRIMARY KEY`. Declare the column if a
///   request selects it: <https://sqlite.org/lang_vacuum.html>.
/// - C code that calls `sqlite3_exec` or `sqlite3_step` changes rows of a virtual table, such as a full-text table. Rows
///   of other tables that C code changes are noticed.
/// - A virtual table changes its shadow tables, such as the `document_content` of a full-text table `document`, or a
///   statement writes to a shadow table directly. An observation of one of them isn't notified of writes to the other.
/// - SQLite changes its own tables, such as `sqlite_sequence` or `sqlite_schema`. Observe the tables with `AUTOINCREMENT`.
/// - The value of a pragma changes, such as `user_version` or `page_count`.
///
/// Not tracked are reads by C functions in the fetch, such as `sqlite3_step` and `sqlite3_blob_read`. Call
/// ``Database/registerAccess(to:)`` for what they read.
///
/// C code that begins or ends a savepoint, such as `sqlite3_exec(db.sqliteConnection, "ROLLBACK TO s", nil, nil, nil)`, isn't
/// noticed. Changes that it rolls back may trigger a fetch, and if it begins a savepoint with the name of an open one, or
/// releases one and begins another, changes may be missed. Use ``Database/inSavepoint(_:)`` or ``Database/execute(sql:arguments:)``.
///
/// ### Where values are fetched
///
/// In a ``DatabasePool``, a reader connection fetches from the exact state that the commit has left, while the writer
/// connection continues. Commits that come while a value is fetched, or while a value waits for its consumer, are
/// coalesced into one fetch. The last state is always delivered. In a ``DatabaseQueue``, the only connection fetches
/// right after each commit: there is one value for each commit. ``delivering(_:)`` overrides these defaults.
///
/// In a pool, a start never waits for a write. If a transaction commits while the observation starts, the observation
/// may fetch a second time. Otherwise, it fetches once at its start.
///
/// A started observation retains the database. It ends when it is cancelled, when its cancellable is released, or with
/// the first error. With ``results()``, it continues after errors. In a snapshot, and in a read-only database without
/// ``includingExternalChanges()``, it delivers only the initial value.
///
/// ### Interruptions and suspensions
///
/// A fetch that fails because another thread calls `interrupt()` is repeated. A fetch that fails because the database
/// is suspended (`suspend()`, ``Database/suspendNotification``) is repeated when the suspension ends. Neither ends the
/// observation, with one exception: a start with the scheduler `.immediate` must deliver a value before it returns, so
/// it fails with `SQLITE_INTERRUPT` or `SQLITE_ABORT`.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
    var settings: ObservationSettings
    let makeReducer: @Sendable () -> Reducer

    init(_ settings: ObservationSettings, makeReducer: @escaping @Sendable () -> Reducer) {
        self.settings = settings
        self.makeReducer = makeReducer
    }

    /// Creates an observation that tracks the tables, columns and rows that the fetcher of a reducer reads.
    ///
    /// - Parameter makeReducer: creates a reducer. It is called once for each start of the observation.
    public init(makeReducer: @escaping @Sendable () -> Reducer) {
        self.init(ObservationSettings(tracking: .whatIsRead), makeReducer: makeReducer)
    }

    /// Creates an observation that tracks the given regions.
    ///
    /// - Parameters:
    ///   - regions: the tracked regions, whatever the fetcher reads.
    ///   - makeReducer: creates a reducer. It is called once for each start of the observation.
    public init(
        tracking regions: [any DatabaseRegionConvertible], makeReducer: @escaping @Sendable () -> Reducer
    ) {
        self.init(ObservationSettings(tracking: .regions(regions)), makeReducer: makeReducer)
    }

    /// Whether the fetch may write. False by default: a fetch that writes throws `SQLITE_READONLY`.
    ///
    /// ```swift
    /// var observation = ValueObservation.tracking { db in
    ///     try db.execute(sql: "DELETE FROM note WHERE text = ''")
    ///     return try Note.fetchAll(db)
    /// }
    /// observation.requiresWriteAccess = true
    /// ```
    ///
    /// If true, the fetch runs on the writing connection, in a savepoint that is rolled back if the fetch throws. The
    /// writes of the fetch don't make the observation fetch again.
    public var requiresWriteAccess: Bool {
        get { settings.requiresWriteAccess }
        set { settings.requiresWriteAccess = newValue }
    }

    /// The same observation with a different reducer.
    func reducing<NewReducer>(
        _ transform: @escaping @Sendable (Reducer) -> NewReducer
    ) -> ValueObservation<NewReducer> {
        ValueObservation<NewReducer>(settings) { [makeReducer] in transform(makeReducer()) }
    }
}
