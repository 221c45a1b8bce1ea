public import AmalgamConcurrency
import AmalgamCore
public import AmalgamQuery
public import AmalgamRecords

extension ListObserver where Element: EncodableRecord & TableRecord {
    /// Creates an observer of records, which are identified by the primary key of their table. The callbacks run on the
    /// main actor. Nothing is fetched before the first call of ``observe(_:)``.
    ///
    /// ```swift
    /// let observer = ListObserver<Player>(in: dbPool) { error in print(error) } onChange: { difference in
    ///     print(difference.insertions.count, "new players")
    /// }
    /// ```
    ///
    /// Records that don't encode the key, or whose table has no primary key, are identified by all their values:
    /// a changed row is a deletion and an insertion. A record whose encoding throws has no identity.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool.
    ///   - scheduler: `.mainActor` or `.immediate`. With `.mainActor`, all callbacks are asynchronous. With
    ///     `.immediate`, the first list of an observation is delivered before ``observe(_:)`` returns.
    ///   - onError: called with each error. The observation continues, unless the database is closed.
    ///   - onChange: called with each difference.
    @preconcurrency @MainActor
    public convenience init(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (ListDifference<Element>) -> Void
    ) {
        self.init(
            reader, scheduler, ListComparison(ofRecords: ()),
            { error in MainActor.assumeIsolated { onError(error) } },
            { difference in MainActor.assumeIsolated { onChange(difference) } })
    }

    /// Creates an observer of records, which are identified by the primary key of their table. A scheduler runs the
    /// callbacks. Nothing is fetched before the first call of ``observe(_:)``.
    ///
    /// ```swift
    /// let observer = ListObserver<Player>(in: dbPool, scheduling: .task) { error in print(error) } onChange: { difference in
    ///     print(difference.insertions.count, "new players")
    /// }
    /// ```
    ///
    /// Records that don't encode the key, or whose table has no primary key, are identified by all their values:
    /// a changed row is a deletion and an insertion. A record whose encoding throws has no identity.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool.
    ///   - scheduler: runs the callbacks.
    ///   - onError: called with each error. The observation continues, unless the database is closed.
    ///   - onChange: called with each difference.
    @preconcurrency
    public convenience init(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (ListDifference<Element>) -> Void
    ) {
        self.init(reader, scheduler, ListComparison(ofRecords: ()), onError, onChange)
    }
}
