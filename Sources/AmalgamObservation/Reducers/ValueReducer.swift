public import AmalgamCore

/// A type that turns fetched values into the values that an observation delivers.
///
/// ```swift
/// /// Delivers a score only if it is a new record.
/// struct RecordReducer: ValueReducer {
///     struct Fetcher: _ValueReducerFetcher {
///         func fetch(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") }
///     }
///
///     private var record = Int.min
///
///     func _makeFetcher() -> Fetcher { Fetcher() }
///
///     mutating func _value(_ score: Int?) -> Int? {
///         guard let score, score > record else { return nil }
///         record = score
///         return score
///     }
/// }
///
/// let observation = ValueObservation(makeReducer: { RecordReducer() })
/// ```
///
/// Each start of an observation creates a reducer, and calls `_makeFetcher()` on the starting thread. `_value(_:)` is
/// called for one value at a time, outside of database accesses, and not on the main thread.
public protocol ValueReducer: _ValueReducer {}

/// The requirements of ``ValueReducer``.
public protocol _ValueReducer: SendableMetatype {
    /// The part that fetches from the database.
    associatedtype Fetcher: _ValueReducerFetcher

    /// The type of the delivered values.
    associatedtype Value: Sendable

    /// Returns the part that runs in database accesses.
    func _makeFetcher() -> Fetcher

    /// Returns the value to deliver, or nil to deliver none. An error ends the observation.
    mutating func _value(_ fetched: Fetcher.Fetched) throws -> Value?
}

/// The part of a reducer that runs in database accesses, on any thread.
public protocol _ValueReducerFetcher: Sendable {
    /// The type of the fetched values.
    associatedtype Fetched: Sendable

    /// Fetches a value. An error ends the observation.
    func fetch(_ db: Database) throws -> Fetched
}

/// The reducers of the operators of ``ValueObservation``.
public enum ValueReducers {}
