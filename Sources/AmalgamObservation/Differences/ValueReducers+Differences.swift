extension ValueReducers {
    /// A reducer that turns lists into differences. A list that is equal to the previous one is dropped.
    public struct Differences<Base: ValueReducer, Element: Sendable>: ValueReducer
    where Base.Value: Sequence<Element> {
        private var base: Base
        private var last: [Element]?
        private let compare: @Sendable ([Element]?, [Element]) -> ListDifference<Element>

        /// - Parameter last: the list that the first list is compared with, if any.
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

    /// A reducer that delivers each value together with the difference of a list that the value contains.
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

/// A fetched value, and the difference between a list in this value and the same list in the previous value.
///
/// ```swift
/// let observation = ValueObservation
///     .tracking { db in try (Player.fetchAll(db), Team.fetchCount(db)) }
///     .differences(of: \.0, by: \.id)   // delivers ListChange values
/// ```
public struct ListChange<Value: Sendable, Element: Sendable>: Sendable {
    /// The value, which contains the list after the change.
    public let value: Value

    /// The difference of the list. It is empty if only other parts of the value have changed.
    public let difference: ListDifference<Element>
}

extension ListChange: Equatable where Value: Equatable, Element: Equatable {}

extension ValueObservation {
    /// Turns lists into differences: the inserted, deleted, moved and updated elements, by their identity.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.order(\.score.desc).fetchAll(db) }
    ///     .differences(by: \.id)
    /// let cancellable = observation.start(in: dbPool) { print($0) } onChange: { difference in
    ///     func paths(_ rows: [Int]) -> [IndexPath] { rows.map { IndexPath(row: $0, section: 0) } }
    ///     tableView.performBatchUpdates {
    ///         players = difference.elements
    ///         tableView.deleteRows(at: paths(difference.deletions.map(\.offset)), with: .automatic)
    ///         tableView.insertRows(at: paths(difference.insertions.map(\.offset)), with: .automatic)
    ///         for move in difference.moves {
    ///             tableView.moveRow(
    ///                 at: IndexPath(row: move.from, section: 0), to: IndexPath(row: move.to, section: 0))
    ///         }
    ///     }
    ///     // A row cannot be moved and reloaded in one batch.
    ///     tableView.reloadRows(at: paths(difference.updates.map(\.to)), with: .automatic)
    /// }
    /// ```
    ///
    /// The first difference contains all elements as insertions. A list that is equal to the previous one isn't
    /// delivered. The lists are compared neither on the main thread nor in a database access.
    ///
    /// To deliver other values together with the difference, use ``differences(of:by:)``. To replace the request while
    /// the observation runs, use a ``ListObserver``.
    ///
    /// - Parameter id: returns the identity of an element, such as its primary key.
    public func differences<Element: Sendable & Equatable, ID: Hashable & Sendable>(
        by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.Differences<Reducer, Element>> where Reducer.Value: Sequence<Element> {
        differences(from: nil, by: id)
    }

    /// - Parameter last: the list that the first list is compared with, if any.
    func differences<Element: Sendable & Equatable, ID: Hashable & Sendable>(
        from last: [Element]?, by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.Differences<Reducer, Element>> where Reducer.Value: Sequence<Element> {
        reducing { base in
            ValueReducers.Differences(base, from: last) { ListDifference(from: $0, to: $1, by: id) }
        }
    }

    /// Turns lists of identifiable elements into differences: the inserted, deleted, moved and updated elements.
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

    /// Delivers each value together with the difference of a list that the value contains. The difference leads from
    /// the list in the previous value to the list in the delivered value.
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
    /// let cancellable = observation.start(in: dbPool) { print($0) } onChange: { change in
    ///     change.difference.apply(to: &players)
    ///     print(players.count, "of", change.value.total, "players")
    /// }
    /// ```
    ///
    /// Each value is delivered, even if its list is equal to the previous list: the difference is empty in this case.
    /// To drop values that are equal to the previous one, call ``removeDuplicates()`` before this method.
    ///
    /// - Parameters:
    ///   - list: returns the list in a value.
    ///   - id: returns the identity of an element, such as its primary key.
    public func differences<Element: Sendable & Equatable, ID: Hashable & Sendable>(
        of list: @escaping @Sendable (Reducer.Value) -> [Element], by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.DifferencesAlongside<Reducer, Element>> {
        reducing { base in
            ValueReducers.DifferencesAlongside(base) { ListDifference(from: $0, to: list($1), by: id) }
        }
    }

    /// Delivers each value together with the difference of a list of identifiable elements that the value contains.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try (Player.fetchAll(db), Team.fetchCount(db)) }
    ///     .differences(of: \.0)
    /// ```
    ///
    /// - Parameter list: returns the list in a value.
    public func differences<Element: Sendable & Equatable & Identifiable>(
        of list: @escaping @Sendable (Reducer.Value) -> [Element]
    ) -> ValueObservation<ValueReducers.DifferencesAlongside<Reducer, Element>> where Element.ID: Sendable {
        differences(of: list) { $0.id }
    }
}
