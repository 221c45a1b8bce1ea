public import AmalgamCore

extension ValueReducers {
    /// Notifies what a closure fetches.
    public struct Fetch<Value: Sendable>: ValueReducer, PassingReducer {
        private let fetcher: Fetcher

        init(_ fetch: @escaping @Sendable (Database) throws -> Value) {
            fetcher = Fetcher(value: fetch)
        }

        public func _makeFetcher() -> Fetcher { fetcher }

        public mutating func _value(_ fetched: Value) -> Value? { fetched }

        /// Calls the closure.
        public struct Fetcher: _ValueReducerFetcher {
            fileprivate let value: @Sendable (Database) throws -> Value

            public func fetch(_ db: Database) throws -> Value { try value(db) }
        }
    }
}

/// A reducer that passes on what was fetched, and runs no code of others.
protocol PassingReducer {}
