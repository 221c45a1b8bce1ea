public import AmalgamCore
import AmalgamQuery
public import Foundation

/// An error of a method that finds or updates one record.
///
/// ```swift
/// do {
///     try player.update(db)
/// } catch RecordError.recordNotFound(let table, let key) {
///     print("no row in \(table) with key \(key)")
/// }
/// ```
public enum RecordError: Error, Sendable {
    /// No row has this primary or unique key.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    /// The table and the key: `Key not found in table player: [id:1]`.
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            let columns = key.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
            return "Key not found in table \(table): [\(columns.joined(separator: " "))]"
        }
    }
}

extension RecordError: LocalizedError, CustomNSError {
    public var errorDescription: String? { description }

    public static var errorDomain: String { "RecordError" }

    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
