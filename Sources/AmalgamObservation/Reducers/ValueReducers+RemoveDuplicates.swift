extension ValueReducers {
    /// A reducer that drops each value of another reducer that is equal to the previous one.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        private var base: Base
        // At most one element. It isn't an optional, because values may be optionals themselves.
        private var previous: [Base.Value] = []
        private let isDuplicate: @Sendable (Base.Value, Base.Value) -> Bool

        init(_ base: Base, _ isDuplicate: @escaping @Sendable (Base.Value, Base.Value) -> Bool) {
            self.base = base
            self.isDuplicate = isDuplicate
        }

        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        public mutating func _value(_ fetched: Base.Fetcher.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            if let previous = previous.first, isDuplicate(previous, value) { return nil }
            previous = [value]
            return value
        }
    }
}
