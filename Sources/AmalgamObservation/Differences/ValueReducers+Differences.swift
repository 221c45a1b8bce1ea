extension ValueReducers {
    /// Notifies how the lists of another reducer change. Lists that are the same are not notified.
    public struct Differences<Base: ValueReducer, Element: Sendable>: ValueReducer
    where Base.Value: Sequence<Element> {
        private var base: Base
        private var last: [Element]?
        private let compare: @Sendable ([Element]?, [Element]) -> ListDifference<Element>

        /// - Parameter last: the list that the first one is compared with, if any.
        init(
            _ base: Base, from last: [Element]? = nil,
            _ compare: @escaping @Sendable ([Element]?, [Element]) -> ListDifference<Element>
        ) {
            self.base = base
            self.last = last
            self.compare = compare
        }

        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        public mutating func _value(_ fetched: Base.Fetcher.Fetched) throws -> ListDifference<Element>? {
            guard let list = try base._value(fetched) else { return nil }
            let difference = compare(last, Array(list))
            last = difference.elements
            return difference.isEmpty && !difference.isInitial ? nil : difference
        }
    }

    /// Notifies the values of another reducer, each with the difference of a list in it.
    public struct DifferencesAlongside<Base: ValueReducer, Element: Sendable>: ValueReducer {
        private var base: Base
        private var last: [Element]?
        private let compare: @Sendable ([Element]?, Base.Value) -> ListDifference<Element>

        init(_ base: Base, _ compare: @escaping @Sendable ([Element]?, Base.Value) -> ListDifference<Element>) {
            self.base = base
            self.compare = compare
        }

        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        public mutating func _value(
            _ fetched: Base.Fetcher.Fetched
        ) throws -> ListChange<Base.Value, Element>? {
            guard let value = try base._value(fetched) else { return nil }
            let difference = compare(last, value)
            last = difference.elements
            return ListChange(value: value, difference: difference)
        }
    }
}

/// A value that was fetched, and the difference of a list in it. Get it with ``ValueObservation/differences(of:by:)``.
public struct ListChange<Value: Sendable, Element: Sendable>: Sendable {
    /// The value, which contains the list after the change.
    public let value: Value

    /// The change of the list. It is empty when only other parts of the value have changed.
    public let difference: ListDifference<Element>
}

extension ListChange: Equatable where Value: Equatable, Element: Equatable {}

extension ValueObservation {
    /// Notifies how a list changes, by the identity of its elements: what is inserted, deleted, moved, updated.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.order(\.score.desc).fetchAll(db) }
    ///     .differences(by: \.id)
    /// let cancellable = observation.start(in: dbPool) { error in … } onChange: { difference in
    ///     func paths(_ rows: [Int]) -> [IndexPath] { rows.map { IndexPath(row: $0, section: 0) } }
    ///     tableView.performBatchUpdates {
    ///         players = difference.elements
    ///         tableView.deleteRows(at: paths(difference.deletions.map(\.offset)), with: .automatic)
    ///         tableView.insertRows(at: paths(difference.insertions.map(\.offset)), with: .automatic)
    ///         for move in difference.moves {
    ///             tableView.moveRow(at: IndexPath(row: move.from, section: 0), to: IndexPath(row: move.to, section: 0))
    ///         }
    ///     }
    ///     // A row cannot be moved and reloaded in one batch.
    ///     tableView.reloadRows(at: paths(difference.updates.map(\.to)), with: .automatic)
    /// }
    /// ```
    ///
    /// The first notification has all elements as insertions. Lists that are the same are not notified. Lists are compared
    /// off the main thread, and outside of database accesses.
    ///
    /// To notify another value together with the difference, use ``differences(of:by:)``. To replace the request while the
    /// observation runs, use a ``ListObserver``.
    ///
    /// - Parameter id: the identity of an element, such as its primary key.
    public func differences<Element: Sendable & Equatable, ID: Hashable & Sendable>(
        by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.Differences<Reducer, Element>> where Reducer.Value: Sequence<Element> {
        differences(from: nil, by: id)
    }

    /// - Parameter last: the list that the first one is compared with, if any.
    func differences<Element: Sendable & Equatable, ID: Hashable & Sendable>(
        from last: [Element]?, by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.Differences<Reducer, Element>> where Reducer.Value: Sequence<Element> {
        reducing { base in
            ValueReducers.Differences(base, from: last) { ListDifference(from: $0, to: $1, by: id) }
        }
    }

    /// Notifies how a list of identifiable elements changes: what is inserted, deleted, moved, updated.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.order(\.score.desc).fetchAll(db) }
    ///     .differences()
    /// ```
    public func differences<Element: Sendable & Equatable & Identifiable>()
        -> ValueObservation<ValueReducers.Differences<Reducer, Element>>
    where Reducer.Value: Sequence<Element>, Element.ID: Sendable {
        differences { $0.id }
    }

    /// Notifies each value together with the change of a list in it, so that both come from the same state of the database.
    ///
    /// ```swift
    /// struct Ranking: Sendable {
    ///     var players: [Player]
    ///     var total: Int
    /// }
    /// let observation = ValueObservation
    ///     .tracking { db in
    ///         try Ranking(
    ///             players: Player.order(\.score.desc).limit(10).fetchAll(db),
    ///             total: Player.fetchCount(db))
    ///     }
    ///     .differences(of: \.players, by: \.id)
    /// let cancellable = observation.start(in: dbPool) { error in … } onChange: { change in
    ///     show(change.difference, total: change.value.total)
    /// }
    /// ```
    ///
    /// Each value is notified, also when its list is the same: the difference is empty then. Call ``removeDuplicates()`` before
    /// to notify values that have changed only.
    ///
    /// - Parameters:
    ///   - list: the list in a value.
    ///   - id: the identity of an element, such as its primary key.
    public func differences<Element: Sendable & Equatable, ID: Hashable & Sendable>(
        of list: @escaping @Sendable (Reducer.Value) -> [Element], by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.DifferencesAlongside<Reducer, Element>> {
        reducing { base in
            ValueReducers.DifferencesAlongside(base) { ListDifference(from: $0, to: list($1), by: id) }
        }
    }

    /// Notifies each value together with the change of a list of identifiable elements in it.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try (Player.fetchAll(db), Team.fetchCount(db)) }
    ///     .differences(of: \.0)
    /// ```
    ///
    /// - Parameter list: the list in a value.
    public func differences<Element: Sendable & Equatable & Identifiable>(
        of list: @escaping @Sendable (Reducer.Value) -> [Element]
    ) -> ValueObservation<ValueReducers.DifferencesAlongside<Reducer, Element>> where Element.ID: Sendable {
        differences(of: list) { $0.id }
    }
}
