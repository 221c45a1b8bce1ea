public import Foundation

/// A URL, stored as TEXT: its absolute string.
///
/// ```swift
/// let website = try URL.fetchOne(db, sql: "SELECT website FROM team")
/// ```
extension URL: DatabaseValueConvertible {
    /// A TEXT value such as `https://sqlite.org/`.
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    /// Returns the URL of a TEXT value, or of a BLOB value in UTF-8. Returns nil for an empty string, for a string that
    /// isn't a URL, and for other storage classes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        switch dbValue.storage {
        case .string(let string): URL(string: string)
        case .blob(let data): String(validating: data, as: UTF8.self).flatMap { URL(string: $0) }
        default: nil
        }
    }
}
