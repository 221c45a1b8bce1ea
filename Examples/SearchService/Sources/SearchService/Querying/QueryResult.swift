import ServiceInputs

/// The rows of a query.
struct QueryResult: Codable, Equatable, Sendable {
    var columns: [String]
    var rows: [[JSONValue]] = []
    /// Whether there are more rows.
    var isTruncated = false
    var milliseconds = 0.0

    init(columns: [String]) { self.columns = columns }

    /// The rows as comma-separated values: <https://www.rfc-editor.org/rfc/rfc4180>.
    var csv: String {
        ([columns] + rows.map { $0.map { $0 == .null ? "" : $0.text } })
            .map { $0.map(Self.field).joined(separator: ",") + "\r\n" }
            .joined()
    }

    private static func field(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { !"\",\r\n".unicodeScalars.contains($0) }
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
