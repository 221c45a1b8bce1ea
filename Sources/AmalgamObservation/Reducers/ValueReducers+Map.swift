extension ValueReducers {
    /// Transforms the values of another reducer.
    public struct Map<Base: _ValueReducer, Value: Sendable>: ValueReducer {
        private var base: Base
        private let transform: @Sendable (Base.Value) throws -> Value

        init(_ base: Base, _ transform: @escaping @Sendable (Base.Value) throws -> Value) {
            self.base = base
            self.transform = transform
        }

        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        public mutating func _value(_ fetched: Base.Fetcher.Fetched) throws -> Value? {
            try base._value(fetched).map(transform)
        }
    }
}

extension ValueObservation {
    /// Transforms the values.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .map { players in players.map(\.name) }
    /// ```
    ///
    /// The closure runs off the main thread, and outside of database accesses: it blocks nobody.
    ///
    /// - Parameter transform: its errors end the observation.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        reducing { ValueReducers.Map($0, transform) }
    }
}
