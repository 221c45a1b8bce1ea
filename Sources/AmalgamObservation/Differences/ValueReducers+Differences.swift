extension ValueReducers {
    /// Notifies how the lists of another reducer change. Lists that are the same are not notified.
    public struct Differences<Base: ValueReducer, Element: Sendable>: ValueReducer
    where Base.Value: Sequence<Element> {
        private var base: Base
        private var last: [Element]?
        private let compare: @Sendable ([Element]?, [Element]) -> ListDifference<Element>

        init(_ base: Base, _ compare: @escaping @Sendable ([Element]?, [Element]) -> ListDifference<Element>) {
            self.base = base
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
}

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
    /// - Parameter id: the identity of an element, such as its primary key.
    public func differences<Element: Sendable & Equatable, ID: Hashable & Sendable>(
        by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.Differences<Reducer, Element>> where Reducer.Value: Sequence<Element> {
        reducing { base in
            ValueReducers.Differences(base) { ListDifference(from: $0, to: $1, id: id, isSame: ==) }
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
}
