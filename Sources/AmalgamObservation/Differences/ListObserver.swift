public import AmalgamConcurrency
import AmalgamCore
import Synchronization

/// An observer of a list. The request that fetches the list can be replaced, and the observer continues after errors.
///
/// ```swift
/// let observer = ListObserver<Player>(in: dbPool, by: \.id) { error in
///     print(error)
/// } onChange: { difference in
///     difference.apply(to: &players)
/// }
/// observer.observe(.tracking { db in try Player.order(\.score.desc).fetchAll(db) })
///
/// // Later, when the user searches for names. The difference leads from the displayed list to the new one.
/// observer.observe(.tracking { db in try Player.filter { $0.name.like("A%") }.fetchAll(db) })
/// ```
///
/// The first list is delivered as an initial difference. Each later difference leads from the last delivered list to
/// the new list, even if these lists come from the observations of two calls of ``observe(_:)``.
///
/// The observer delivers the error of a failed fetch, and continues: it fetches again after a later commit, as
/// ``ValueObservation/results()`` describes. The next difference leads from the list that was delivered before the
/// error.
///
/// Records that can be encoded are identified by their primary key, without a closure `by:`; and by all their values if they
/// have no property for the key.
///
/// An observer that is cancelled or released delivers no further difference.
public final class ListObserver<Element: Sendable & Equatable>: Sendable {
    private struct State {
        /// The list that was delivered last; nil before the first one.
        var list: [Element]?
        /// The number of the current observation. Values of earlier observations are dropped.
        var number = 0
        var observation: AnyDatabaseCancellable?
    }

    private let state = Mutex(State())
    private let reader: any DatabaseReader
    private let scheduler: any ValueObservationScheduler
    private let comparison: ListComparison<Element>
    private let onError: @Sendable (any Error) -> Void
    private let onChange: @Sendable (ListDifference<Element>) -> Void

    init(
        _ reader: any DatabaseReader, _ scheduler: any ValueObservationScheduler, _ comparison: ListComparison<Element>,
        _ onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (ListDifference<Element>) -> Void
    ) {
        (self.reader, self.scheduler, self.comparison) = (reader, scheduler, comparison)
        (self.onError, self.onChange) = (onError, onChange)
    }

    /// Creates an observer whose callbacks run on the main actor. Nothing is fetched before the first call of
    /// ``observe(_:)``.
    ///
    /// ```swift
    /// let observer = ListObserver<Player>(in: dbPool, by: \.id) { error in print(error) } onChange: { difference in
    ///     print(difference.insertions.count, "new players")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool.
    ///   - id: returns the identity of an element, such as its primary key.
    ///   - scheduler: `.mainActor` or `.immediate`. With `.mainActor`, all callbacks are asynchronous. With
    ///     `.immediate`, the first list of an observation is delivered before ``observe(_:)`` returns.
    ///   - onError: called with each error. The observation continues, unless the database is closed.
    ///   - onChange: called with each difference.
    @preconcurrency @MainActor
    public convenience init<ID: Hashable & Sendable>(
        in reader: any DatabaseReader, by id: @escaping @Sendable (Element) -> ID,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (ListDifference<Element>) -> Void
    ) {
        self.init(
            reader, scheduler, ListComparison(by: id), { error in MainActor.assumeIsolated { onError(error) } },
            { difference in MainActor.assumeIsolated { onChange(difference) } })
    }

    /// Creates an observer whose callbacks are run by a scheduler. Nothing is fetched before the first call of
    /// ``observe(_:)``.
    ///
    /// ```swift
    /// let observer = ListObserver<Player>(in: dbPool, by: \.id, scheduling: .task) { error in
    ///     print(error)
    /// } onChange: { difference in
    ///     print(difference.insertions.count, "new players")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool.
    ///   - id: returns the identity of an element, such as its primary key.
    ///   - scheduler: runs the callbacks.
    ///   - onError: called with each error. The observation continues, unless the database is closed.
    ///   - onChange: called with each difference.
    @preconcurrency
    public convenience init<ID: Hashable & Sendable>(
        in reader: any DatabaseReader, by id: @escaping @Sendable (Element) -> ID,
        scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (ListDifference<Element>) -> Void
    ) {
        self.init(reader, scheduler, ListComparison(by: id), onError, onChange)
    }

    /// The list that was delivered last; nil before the first one.
    public var elements: [Element]? { state.withLock { $0.list } }

    /// Starts an observation, which replaces the current one.
    ///
    /// ```swift
    /// observer.observe(.tracking { db in try Player.order(\.name).fetchAll(db) })
    /// ```
    ///
    /// The first list of the new observation is compared with the list that was delivered last. If both lists are
    /// equal, no difference is delivered. After this method has returned, no callback of the replaced observation
    /// begins, unless another thread was about to run a callback already.
    public func observe<Reducer>(_ observation: ValueObservation<Reducer>) where Reducer.Value: Sequence<Element> {
        let (number, last, replaced) = next()
        replaced?.cancel()
        let comparison = comparison
        let started = observation.reducing { base in
            ValueReducers.Differences(
                ValueReducers.Prepared(base, comparison.prepare), from: last, comparison.compare)
        }.results().start(
            in: reader, scheduling: scheduler,
            onError: { [weak self] error in self?.give(.failure(error), number) },
            onChange: { [weak self] result in self?.give(result, number) })
        let isCurrent = state.withLock { state in
            if state.number == number { state.observation = started }
            return state.number == number
        }
        if !isCurrent { started.cancel() }
    }

    /// Stops the current observation. The first difference of the next observation leads from the last delivered list.
    public func cancel() {
        let (_, _, observation) = next()
        observation?.cancel()
    }

    /// Removes the current observation, and increments the observation number. The observer ignores the values of
    /// observations with earlier numbers.
    ///
    /// - Returns: the new number, the list that was delivered last, and the removed observation, which the caller must
    ///   cancel.
    private func next() -> (number: Int, last: [Element]?, replaced: AnyDatabaseCancellable?) {
        state.withLock { state in
            state.number += 1
            defer { state.observation = nil }
            return (state.number, state.list, state.observation)
        }
    }

    private func give(_ result: Result<ListDifference<Element>, any Error>, _ number: Int) {
        let list = try? result.get().elements
        let (isCurrent, replaced) = state.withLock { state in
            guard state.number == number, let list else { return (state.number == number, nil as [Element]?) }
            defer { state.list = list }
            return (true, state.list)
        }
        // The old elements are released outside of the lock.
        withExtendedLifetime(replaced) {}
        guard isCurrent else { return }
        switch result {
        case .success(let difference): onChange(difference)
        case .failure(let error): onError(error)
        }
    }
}
