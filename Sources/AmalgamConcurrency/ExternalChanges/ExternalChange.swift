public import Foundation

/// A notification that other connections have committed to a database file. See ``ExternalChanges``.
///
/// ```swift
/// for try await change in try await dbPool.externalChanges() {
///     print("change noticed at", change.date)
/// }
/// ```
public struct ExternalChange: Hashable, Sendable {
    /// The value of `PRAGMA data_version` on the writing connection after the change. It differs from the value before
    /// the change.
    ///
    /// See <https://sqlite.org/pragma.html#pragma_data_version>.
    public let dataVersion: Int

    /// The time when the change was noticed.
    public let date: Date
}
