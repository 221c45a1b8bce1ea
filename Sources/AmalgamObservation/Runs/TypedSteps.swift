import AmalgamCore

/// A fetched value.
struct FetchedValue: Sendable {
    /// Applies the reducer to the fetched value. Must be called for one value at a time, in the order of delivery.
    ///
    /// - Returns: the value to deliver, or nil if there is none.
    let reduce: @Sendable () throws -> ReducedValue?
}

/// A value that the reducer of the observation has returned.
struct ReducedValue: Sendable {
    /// Delivers the value to the consumer.
    let notify: @Sendable () -> Void
}

/// Fetches, reduces and delivers the values of one started observation. `ValueObservationRun` calls these functions as
/// closures that hide the types of the values.
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
