public import AmalgamCore

/// Several values that are compared one after the other, as a year and a month are.
///
/// ```swift
/// Invoice.filter { SQLRowValue($0.year, $0.month) >= SQLRowValue(2024, 6) }
/// // SELECT * FROM "invoice" WHERE ("year", "month") >= (2024, 6)
/// ```
///
/// They may be in a list, or in the rows of a request:
///
/// ```swift
/// let months = [SQLRowValue(2024, 6), SQLRowValue(2025, 6)]
/// Invoice.filter { months.contains(SQLRowValue($0.year, $0.month)) }
/// // SELECT * FROM "invoice" WHERE ("year", "month") IN (VALUES (2024, 6), (2025, 6))
/// ```
///
/// Both sides must have the same number of values; SQLite tells when they do not, as the statement is compiled. One
/// value is this value. See <https://sqlite.org/rowvalue.html>.
public struct SQLRowValue: SQLSpecificExpressible, Sendable {
    private let columns: [any SQLNode]

    /// A row of values.
    public init(_ values: any SQLExpressible...) {
        self.init(values)
    }

    /// A row of values.
    ///
    /// A request with a row of no value throws `SQLITE_MISUSE` when it is prepared.
    public init(_ values: [any SQLExpressible]) {
        columns = values.map(\.sqlExpression.node)
    }

    public var sqlExpression: SQLExpression {
        SQLExpression(node: columns.count == 1 ? columns[0] : RowValueNode(columns: columns))
    }
}

/// `("year", "month")`
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
    /// Whether the node is a row of several values.
    var isRowValue: Bool { self is RowValueNode || (self as? AliasedNode)?.node.isRowValue == true }
}
