public import AmalgamConcurrency
import AmalgamCore
import Synchronization

/// Notifies how a list changes, while its request may be replaced, and whatever errors come.
///
/// ```swift
/// let players = ListObserver<Player>(in: dbPool, by: \.id) { error in
///     print(error)
/// } onChange: { difference in
///     difference.apply(to: &list)
/// }
/// players.observe(.tracking { db in try Player.order(\.score.desc).fetchAll(db) })
///
/// // Later, when the user has typed into a search field. The difference leads from the list that is on the screen to the
/// // new one.
/// players.observe(.tracking { db in try Player.filter { $0.name.like("\(prefix)%") }.fetchAll(db) })
/// ```
///
/// The first list is notified as an initial difference. Each difference leads from the list that was notified last to the
/// next one, whichever observation has fetched them.
///
/// An error of a fetch is notified, and the list stays: the next commit makes the observation fetch again, and the next
/// difference leads on from the last list (``ValueObservation/results()``).
///
/// An observer that is cancelled or released notifies nothing more.
public final class ListObserver<Element: Sendable & Equatable>: Sendable {
    private struct State {
        /// The list that was notified last; nil before the first one.
        var list: [Element]?
        /// The number of the observation under way: values of earlier ones are dropped.
        var number = 0
        var observation: AnyDatabaseCancellable?
    }

    private let state = Mutex(State())
    private let reader: any DatabaseReader
    private let scheduler: any ValueObservationScheduler
    private let compare: @Sendable ([Element]?, [Element]) -> ListDifference<Element>
    private let onError: @Sendable (any Error) -> Void
    private let onChange: @Sendable (ListDifference<Element>) -> Void

    private init(
        _ reader: any DatabaseReader, _ scheduler: any ValueObservationScheduler,
        _ compare: @escaping @Sendable ([Element]?, [Element]) -> ListDifference<Element>,
        _ onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (ListDifference<Element>) -> Void
    ) {
        (self.reader, self.scheduler, self.compare) = (reader, scheduler, compare)
        (self.onError, self.onChange) = (onError, onChange)
    }

    /// An observer that calls back on the main actor. Nothing is fetched before ``observe(_:)``.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool.
    ///   - id: the identity of an element, such as its primary key.
    ///   - scheduler: `.mainActor`: always asynchronously; or `.immediate`: the first list of an observation comes before
    ///     ``observe(_:)`` returns.
    ///   - onError: called with each error. The observation goes on, unless the database is closed.
    ///   - onChange: called with each difference.
    @preconcurrency @MainActor
    public convenience init<ID: Hashable & Sendable>(
        in reader: any DatabaseReader, by id: @escaping @Sendable (Element) -> ID,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (ListDifference<Element>) -> Void
    ) {
        self.init(
            reader, scheduler, { ListDifference(from: $0, to: $1, by: id) },
            { error in MainActor.assumeIsolated { onError(error) } },
            { difference in MainActor.assumeIsolated { onChange(difference) } })
    }

    /// An observer that calls back where a scheduler says. Nothing is fetched before ``observe(_:)``.
    ///
    /// - Parameters:
    ///   - reader: a queue or a pool.
    ///   - id: the identity of an element, such as its primary key.
    ///   - onError: called with each error. The observation goes on, unless the database is closed.
    ///   - onChange: called with each difference.
    @preconcurrency
    public convenience init<ID: Hashable & Sendable>(
        in reader: any DatabaseReader, by id: @escaping @Sendable (Element) -> ID,
        scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (ListDifference<Element>) -> Void
    ) {
        self.init(reader, scheduler, { ListDifference(from: $0, to: $1, by: id) }, onError, onChange)
    }

    /// The list that was notified last; nil before the first one.
    public var elements: [Element]? { state.withLock { $0.list } }

    /// Starts an observation, in the place of the one under way.
    ///
    /// The first list that it fetches is compared with the one that was notified last. When both are the same, nothing is
    /// notified. Nothing of the observation under way is notified after this method has returned, except for a callback that
    /// runs on another thread at this moment.
    public func observe<Reducer>(_ observation: ValueObservation<Reducer>) where Reducer.Value: Sequence<Element> {
        let (number, last, replaced) = next()
        replaced?.cancel()
        let compare = compare
        let started = observation.reducing { ValueReducers.Differences($0, from: last, compare) }.results().start(
            in: reader, scheduling: scheduler,
            onError: { [weak self] error in self?.give(.failure(error), number) },
            onChange: { [weak self] result in self?.give(result, number) })
        let isCurrent = state.withLock { state in
            if state.number == number { state.observation = started }
            return state.number == number
        }
        if !isCurrent { started.cancel() }
    }

    /// Stops the observation under way. The list stays: the difference of the next observation leads on from it.
    public func cancel() {
        let (_, _, observation) = next()
        observation?.cancel()
    }

    /// Ends the observation under way for its values, and numbers the next one.
    ///
    /// - Returns: the number, the list that was notified last, and the observation to cancel.
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
        // Elements are released without the lock.
        withExtendedLifetime(replaced) {}
        guard isCurrent else { return }
        switch result {
        case .success(let difference): onChange(difference)
        case .failure(let error): onError(error)
        }
    }
}
