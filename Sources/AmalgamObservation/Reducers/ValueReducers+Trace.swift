extension ValueReducers {
    /// A reducer that calls a closure with each value of another reducer.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        private var base: Base
        private let didReceiveValue: @Sendable (Base.Value) -> Void

        init(_ base: Base, _ didReceiveValue: @escaping @Sendable (Base.Value) -> Void) {
            self.base = base
            self.didReceiveValue = didReceiveValue
        }

        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        public mutating func _value(_ fetched: Base.Fetcher.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            didReceiveValue(value)
            return value
        }
    }
}
