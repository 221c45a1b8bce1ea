public import AmalgamCore

/// A row value: several values that are compared from left to right, such as a year and a month.
///
/// ```swift
/// let month = SQLRowValue(Column("year"), Column("month"))
/// Book.filter(month >= SQLRowValue(2024, 6))
/// // SELECT * FROM "book" WHERE ("year", "month") >= (2024, 6)
/// ```
///
/// A row value can also be looked up in a list of row values:
///
/// ```swift
/// let months = [SQLRowValue(2024, 6), SQLRowValue(2025, 6)]
/// Book.filter(months.contains(SQLRowValue(Column("year"), Column("month"))))
/// // SELECT * FROM "book" WHERE ("year", "month") IN (VALUES (2024, 6), (2025, 6))
/// ```
///
/// In the same way, a row value is looked up in the result of a request: `request.contains(month)`.
///
/// Both sides of a comparison must have the same number of values. Otherwise, SQLite reports an error when it compiles
/// the statement. A single value is written without parentheses. See <https://sqlite.org/rowvalue.html>.
public struct SQLRowValue: SQLSpecificExpressible, Sendable {
    private let columns: [any SQLNode]

    /// Creates a row value.
    ///
    /// ```swift
    /// Player.filter { SQLRowValue($0.name, $0.score) == SQLRowValue("Anna", 10) }
    /// // SELECT * FROM "player" WHERE ("name", "score") = ('Anna', 10)
    /// ```
    public init(_ values: any SQLExpressible...) {
        self.init(values)
    }

    /// Creates a row value from an array.
    ///
    /// A request with an empty row value throws `SQLITE_MISUSE` when it is prepared.
    public init(_ values: [any SQLExpressible]) {
        columns = values.map(\.sqlExpression.node)
    }

    public var sqlExpression: SQLExpression {
        SQLExpression(node: columns.count == 1 ? columns[0] : RowValueNode(columns: columns))
    }
}

/// A row value: `("year", "month")`.
struct RowValueNode: CompositeNode {
    let columns: [any SQLNode]

    var isAtom: Bool { true }

    var operands: [any SQLNode] { columns }

    func write(to writer: inout SQLWriter) throws {
        if columns.isEmpty {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a row value needs a value at least")
        }
        writer.append("(")
        try writer.append(columns)
        writer.append(")")
    }
}

extension SQLNode {
    /// Whether the node is a row value.
    var isRowValue: Bool { self is RowValueNode || (self as? AliasedNode)?.node.isRowValue == true }
}
