public import Foundation

/// A column that does not hold the expected Swift value, or is not there.
///
/// ```swift
/// try String.fetchAll(db, sql: "SELECT NULL AS name")
/// // could not decode String from database value NULL - column: "name", column index: 0,
/// // row: [name:NULL], sql: `SELECT NULL AS name`, arguments: []
/// ```
///
/// The description shows values and arguments: it is meant for the developer who reads the log.
public struct RowDecodingError: Error, Sendable {
    /// Where decoding failed.
    package struct Context: Sendable {
        /// The column, when there is one.
        package let columnIndex: Int?
        package let columnName: String?
        /// The row, as text: rows of a live statement change.
        package let row: String
        /// The statement under way, unless the row was a copy.
        package let sql: String?
        package let arguments: StatementArguments?
    }

    package let reason: String
    package let context: Context

    package init(reason: String, context: Context) {
        self.reason = reason
        self.context = context
    }
}

extension RowDecodingError: CustomStringConvertible {
    public var description: String {
        var text = reason
        var details: [String] = []
        if let columnIndex = context.columnIndex {
            if let columnName = context.columnName { details.append("column: \"\(columnName)\"") }
            details.append("column index: \(columnIndex)")
        }
        details.append("row: \(context.row)")
        if let sql = context.sql { details.append("sql: `\(sql)`") }
        if let arguments = context.arguments { details.append("arguments: \(arguments)") }
        text += " - " + details.joined(separator: ", ")
        return text
    }
}

extension RowDecodingError: LocalizedError {
    /// The ``description``.
    public var errorDescription: String? { description }
}

extension RowDecodingError {
    /// A value that does not convert.
    static func mismatch(_ type: Any.Type, _ value: DatabaseValue, _ context: Context) -> RowDecodingError {
        RowDecodingError(reason: "could not decode \(type) from database value \(value)", context: context)
    }

    static func columnNotFound(_ name: String, _ context: Context) -> RowDecodingError {
        RowDecodingError(reason: "column not found: \"\(name)\"", context: context)
    }
}
