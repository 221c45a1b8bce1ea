/// Why a query cannot be used.
public enum FTS5QueryError: Error, Hashable, Sendable {
    /// A column filter names a column that the table does not have.
    case unknownColumn(String, table: String, columns: [String])

    /// The query is nested deeper than FTS5 can read.
    case nestedTooDeeply
}

extension FTS5QueryError: CustomStringConvertible {
    /// `no such column: titel. The columns of document are: title, body`
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
