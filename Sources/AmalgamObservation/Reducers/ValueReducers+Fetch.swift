public import AmalgamCore

extension ValueReducers {
    /// A reducer that delivers the values that a closure fetches.
    public struct Fetch<Value: Sendable>: ValueReducer, PassingReducer {
        private let fetcher: Fetcher

        init(_ fetch: @escaping @Sendable (Database) throws -> Value) {
            fetcher = Fetcher(value: fetch)
        }

        public func _makeFetcher() -> Fetcher { fetcher }

        public mutating func _value(_ fetched: Value) -> Value? { fetched }

        /// A fetcher that calls the closure.
        public struct Fetcher: _ValueReducerFetcher {
            fileprivate let value: @Sendable (Database) throws -> Value

            public func fetch(_ db: Database) throws -> Value { try value(db) }
        }
    }
}

/// A reducer that delivers fetched values unchanged, and runs no code of the application.
protocol PassingReducer {}
