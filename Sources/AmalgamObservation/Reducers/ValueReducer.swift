public import AmalgamCore

/// Turns what an observation fetches into the values that it notifies.
///
/// ```swift
/// /// Notifies a score only when it is a new record.
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
/// Each start of an observation has a reducer of its own. Its methods are called one after the other, off the main thread
/// and outside of database accesses.
public protocol ValueReducer: _ValueReducer {}

/// The requirements of ``ValueReducer``.
public protocol _ValueReducer: SendableMetatype {
    /// What fetches from the database.
    associatedtype Fetcher: _ValueReducerFetcher

    /// What is notified.
    associatedtype Value: Sendable

    /// The part that runs inside of database accesses.
    func _makeFetcher() -> Fetcher

    /// The value to notify; nil when there is nothing to notify. An error ends the observation.
    mutating func _value(_ fetched: Fetcher.Fetched) throws -> Value?
}

/// The part of a reducer that runs inside of database accesses, on any thread.
public protocol _ValueReducerFetcher: Sendable {
    /// What is fetched.
    associatedtype Fetched: Sendable

    /// Fetches. An error ends the observation.
    func fetch(_ db: Database) throws -> Fetched
}

/// The reducers of the operators of ``ValueObservation``.
public enum ValueReducers {}
