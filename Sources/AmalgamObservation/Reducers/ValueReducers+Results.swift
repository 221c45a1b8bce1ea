public import AmalgamCore

extension ValueReducers {
    /// A reducer that delivers the values and the errors of another reducer as results.
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

        /// A fetcher that returns a value or its error.
        public struct Fetcher: _ValueReducerFetcher {
            fileprivate let base: Base.Fetcher

            public func fetch(_ db: Database) throws -> Result<Base.Fetcher.Fetched, any Error> {
                let stopDetector = StopDetector(db)
                do {
                    return .success(try base.fetch(db))
                } catch let error where !stopDetector.hasStopped(db) {
                    // The fetch may have failed before it has read all tables that it depends on.
                    try db.registerAccess(to: DatabaseRegion.fullDatabase)
                    return .failure(error)
                }
            }
        }
    }
}
