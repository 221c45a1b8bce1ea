public import Foundation

/// An error of decoding a row: a column is missing, or its value doesn't convert to the expected Swift type.
///
/// ```swift
/// try String.fetchAll(db, sql: "SELECT NULL AS name")
/// // could not decode String from database value NULL - column: "name", column index: 0,
/// // row: [name:NULL], sql: `SELECT NULL AS name`, arguments: []
/// ```
///
/// The description includes values and arguments. It is meant for developers.
public struct RowDecodingError: Error, Sendable {
    /// The location of a decoding error.
    package struct Context: Sendable {
        /// The column, if there is one.
        package let columnIndex: Int?
        package let columnName: String?
        /// A description of the row. The row itself changes at the next step of the statement.
        package let row: String
        /// The running statement; nil for a copied row.
        package let sql: String?
        package let arguments: StatementArguments?

        /// The location as it ends a description: `column: "name", row: [name:NULL], sql: …`.
        package var description: String {
            var details: [String] = []
            if let columnIndex {
                if let columnName { details.append("column: \"\(columnName)\"") }
                details.append("column index: \(columnIndex)")
            }
            details.append("row: \(row)")
            if let sql { details.append("sql: `\(sql)`") }
            if let arguments { details.append("arguments: \(arguments)") }
            return details.joined(separator: ", ")
        }
    }

    package let reason: String
    package let context: Context

    package init(reason: String, context: Context) {
        self.reason = reason
        self.context = context
    }
}

extension RowDecodingError: CustomStringConvertible {
    public var description: String { "\(reason) - \(context.description)" }
}

extension RowDecodingError: LocalizedError {
    /// The same string as ``description``.
    public var errorDescription: String? { description }
}

extension RowDecodingError {
    /// Returns the error of a value that doesn't convert.
    static func mismatch(_ type: Any.Type, _ value: DatabaseValue, _ context: Context) -> RowDecodingError {
        RowDecodingError(reason: "could not decode \(type) from database value \(value)", context: context)
    }

    static func columnNotFound(_ name: String, _ context: Context) -> RowDecodingError {
        RowDecodingError(reason: "column not found: \"\(name)\"", context: context)
    }
}
