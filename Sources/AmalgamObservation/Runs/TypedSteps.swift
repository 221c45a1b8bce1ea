import AmalgamCore

/// A value that was fetched.
struct FetchedValue: Sendable {
    /// Reduces it: called for one value after the other, in order.
    ///
    /// - Returns: nil when there is nothing that the consumer must know.
    let reduce: @Sendable () throws -> ReducedValue?
}

/// A value that was reduced.
struct ReducedValue: Sendable {
    /// Gives it to the consumer.
    let notify: @Sendable () -> Void
}

/// The steps of the values of one started observation, for a `ValueObservationRun`, which does not know their types.
final class TypedSteps<Reducer: ValueReducer>: @unchecked Sendable {
    // Sendable: values are reduced one after the other, and the rest is constant.

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
