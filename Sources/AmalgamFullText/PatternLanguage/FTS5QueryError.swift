/// An error that makes a full-text query unusable.
///
/// ```swift
/// do {
///     let query = FTS5Query("sqlite").inColumns("titel")
///     _ = try query.pattern(db, forTable: "document")
/// } catch FTS5QueryError.unknownColumn(let name, _, let columns) {
///     print(name, columns)   // titel ["title", "body"]
/// }
/// ```
public enum FTS5QueryError: Error, Hashable, Sendable {
    /// The column filter names a column that the table doesn't have.
    case unknownColumn(String, table: String, columns: [String])

    /// The query is nested deeper than FTS5 can parse.
    case nestedTooDeeply
}

extension FTS5QueryError: CustomStringConvertible {
    /// The description of the error, such as `no such column: titel. The columns of document are: title, body`.
    public var description: String {
        switch self {
        case .unknownColumn(let name, let table, let columns):
            "no such column: \(name). The columns of \(table) are: \(columns.joined(separator: ", "))"
        case .nestedTooDeeply:
            """
            the full-text query is nested deeper than the \(FTS5Query.maximumDepth) levels that FTS5 can read: \
            combine the queries of one operator in one list, with all(_:) and any(_:)
            """
        }
    }
}
