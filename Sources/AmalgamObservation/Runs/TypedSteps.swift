import AmalgamCore

/// A fetched value.
struct FetchedValue: Sendable {
    /// Turns the value into the value to deliver. Must be called for one value at a time, in the order of values.
    ///
    /// - Returns: nil if there is no value to deliver.
    let reduce: @Sendable () throws -> ReducedValue?
}

/// A value that the reducer of the observation has returned.
struct ReducedValue: Sendable {
    /// Delivers the value to the consumer.
    let notify: @Sendable () -> Void
}

/// Fetches, reduces and delivers the values of one started observation, on behalf of a `ValueObservationRun`, which
/// doesn't know the types of the values.
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
