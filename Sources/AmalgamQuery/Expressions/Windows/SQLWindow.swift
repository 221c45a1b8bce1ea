public import AmalgamCore

/// The rows around a row: <https://sqlite.org/windowfunctions.html>.
///
/// ```swift
/// let sameTeam = SQLWindow(partitionBy: Column("teamId"), orderBy: Column("score").desc)
/// Player.select { [$0.name, rank().over(sameTeam), sum($0.score).over(sameTeam)] }
/// // SELECT "name", RANK() OVER (PARTITION BY "teamId" ORDER BY "score" DESC),
/// // SUM("score") OVER (PARTITION BY "teamId" ORDER BY "score" DESC) FROM "player"
/// ```
public struct SQLWindow: Sendable {
    private let partitions: [any SQLNode]
    private let orderings: [any SQLNode]
    private let frame: SQLWindowFrame?

    /// The rows around a row.
    ///
    /// - Parameters:
    ///   - expressions: rows with other values of these do not count. When empty, all rows count.
    ///   - orderings: the order of the rows.
    ///   - frame: which rows count. When nil: all of them without order, else those up to the row and its equals.
    public init(
        partitionBy expressions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) {
        self.init(partitionBy: expressions, orderBy: orderings, frame: frame)
    }

    /// The rows around a row.
    ///
    /// - Parameters:
    ///   - expressions: rows with other values of these do not count. When empty, all rows count.
    ///   - orderings: the order of the rows.
    ///   - frame: which rows count. When nil: all of them without order, else those up to the row and its equals.
    public init(
        partitionBy expressions: [any SQLExpressible], orderBy orderings: [any SQLOrderingTerm],
        frame: SQLWindowFrame? = nil
    ) {
        partitions = expressions.map(\.sqlExpression.node)
        self.orderings = orderings.map(\.sqlOrdering.node)
        self.frame = frame
    }
}

extension SQLWindow {
    /// Writes `(PARTITION BY "teamId" ORDER BY "score" ROWS 1 PRECEDING)`.
    func write(to writer: inout SQLWriter) throws {
        writer.append("(")
        var separator = ""
        try write("PARTITION BY ", partitions, &separator, to: &writer)
        try write("ORDER BY ", orderings, &separator, to: &writer)
        if let frame {
            writer.append(separator)
            try frame.write(to: &writer)
        }
        writer.append(")")
    }

    private func write(
        _ keyword: String, _ nodes: [any SQLNode], _ separator: inout String, to writer: inout SQLWriter
    ) throws {
        if nodes.isEmpty { return }
        writer.append(separator + keyword)
        try writer.append(nodes)
        separator = " "
    }
}
