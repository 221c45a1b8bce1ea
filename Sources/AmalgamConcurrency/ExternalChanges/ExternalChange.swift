public import Foundation

/// Word that others have committed to a database file. See ``ExternalChanges``.
public struct ExternalChange: Hashable, Sendable {
    /// What `PRAGMA data_version` gives on the writing connection since then: another number than before.
    ///
    /// See <https://sqlite.org/pragma.html#pragma_data_version>.
    public let dataVersion: Int

    /// When the change was noticed.
    public let date: Date
}
