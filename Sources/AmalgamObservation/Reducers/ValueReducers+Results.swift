public import AmalgamCore

extension ValueReducers {
    /// Notifies the values and the errors of another reducer, as results.
    public struct Results<Base: ValueReducer>: ValueReducer {
        private var base: Base

        init(_ base: Base) { self.base = base }

        public func _makeFetcher() -> Fetcher { Fetcher(base: base._makeFetcher()) }

        public mutating func _value(
            _ fetched: Result<Base.Fetcher.Fetched, any Error>
        ) -> Result<Base.Value, any Error>? {
            do {
                return try base._value(fetched.get()).map { .success($0) }
            } catch {
                return .failure(error)
            }
        }

        /// Fetches a value, or its error.
        public struct Fetcher: _ValueReducerFetcher {
            fileprivate let base: Base.Fetcher

            public func fetch(_ db: Database) throws -> Result<Base.Fetcher.Fetched, any Error> {
                let stopDetector = StopDetector(db)
                do {
                    return .success(try base.fetch(db))
                } catch let error where !stopDetector.hasStopped(db) {
                    // The fetch may have failed before it has read all of what it tracks.
                    try db.registerAccess(to: DatabaseRegion.fullDatabase)
                    return .failure(error)
                }
            }
        }
    }
}

extension ValueObservation {
    /// Notifies errors as values: the observation goes on after an error.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .results()
    /// let cancellable = observation.start(in: dbPool) { error in … } onChange: { result in
    ///     switch result {
    ///     case .success(let players): show(players)
    ///     case .failure(let error): show(error)
    ///     }
    /// }
    /// ```
    ///
    /// Errors of the fetch, and of operators before this one, are notified. After an error of the fetch, the next commit that
    /// changes anything makes the observation fetch again, since the failed fetch may not have read all of what it tracks; with
    /// given regions, it is the next commit that changes these. Operators keep what they know: the first difference of
    /// ``differences(by:)`` after an error is the one from the last list that was fetched.
    ///
    /// The observation itself still ends with errors of the database that are not errors of a fetch, such as those of a database
    /// that is closed.
    public func results() -> ValueObservation<ValueReducers.Results<Reducer>> {
        reducing { ValueReducers.Results($0) }
    }
}
