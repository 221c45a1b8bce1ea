import AmalgamCore

/// A fetched value.
struct FetchedValue: Sendable {
    /// Reduces the value. It must be called for one value at a time, in order.
    ///
    /// - Returns: nil if there is no value to deliver.
    let reduce: @Sendable () throws -> ReducedValue?
}

/// A reduced value.
struct ReducedValue: Sendable {
    /// Delivers the value to the consumer.
    let notify: @Sendable () -> Void
}

/// The fetch, reduction and delivery of values of one started observation, for a `ValueObservationRun`, which doesn't
/// know their types.
final class TypedSteps<Reducer: ValueReducer>: @unchecked Sendable {
    // Sendable: values are reduced one at a time, and the other properties are constant.

    private let fetcher: Reducer.Fetcher
    private var reducer: Reducer
    private let onChange: @Sendable (Reducer.Value) -> Void

    init(_ reducer: Reducer, _ onChange: @escaping @Sendable (Reducer.Value) -> Void) {
        fetcher = reducer._makeFetcher()
        self.reducer = reducer
        self.onChange = onChange
    }

    @Sendable func fetch(_ db: Database) throws -> FetchedValue {
        let fetched = try fetcher.fetch(db)
        return FetchedValue { [self] in try reduce(fetched) }
    }

    private func reduce(_ fetched: Reducer.Fetcher.Fetched) throws -> ReducedValue? {
        guard let value = try reducer._value(fetched) else { return nil }
        return ReducedValue { [onChange] in onChange(value) }
    }
}
