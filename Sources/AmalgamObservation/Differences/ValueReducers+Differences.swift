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
    ///     tableView.performBatchUpdates {
    ///         tableView.deleteRows(at: difference.deletions.map { IndexPath(row: $0.offset, section: 0) })
    ///         tableView.insertRows(at: difference.insertions.map { IndexPath(row: $0.offset, section: 0) })
    ///         for move in difference.moves {
    ///             tableView.moveRow(at: IndexPath(row: move.from, section: 0), to: IndexPath(row: move.to, section: 0))
    ///         }
    ///     }
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
