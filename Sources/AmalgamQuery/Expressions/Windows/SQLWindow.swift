public import AmalgamCore

/// A window of rows, for aggregate and window functions: <https://sqlite.org/windowfunctions.html>.
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

    /// Creates a window.
    ///
    /// ```swift
    /// let team = SQLWindow(partitionBy: Column("teamId"))
    /// Player.select { [$0.name, sum($0.score).over(team)] }
    /// // SELECT "name", SUM("score") OVER (PARTITION BY "teamId") FROM "player"
    /// ```
    ///
    /// - Parameters:
    ///   - expressions: the `PARTITION BY` expressions. Without any, all rows are one partition.
    ///   - orderings: the `ORDER BY` terms.
    ///   - frame: the frame. Without `ORDER BY` terms, the default is all rows of the partition. With `ORDER BY` terms,
    ///     it is all rows up to the current row and its peers, the rows with equal `ORDER BY` values.
    public init(
        partitionBy expressions: any SQLExpressible..., orderBy orderings: any SQLOrderingTerm...,
        frame: SQLWindowFrame? = nil
    ) {
        self.init(partitionBy: expressions, orderBy: orderings, frame: frame)
    }

    /// Creates a window from arrays.
    ///
    /// - Parameters:
    ///   - expressions: the `PARTITION BY` expressions. If empty, all rows are one partition.
    ///   - orderings: the `ORDER BY` terms.
    ///   - frame: the frame. Without `ORDER BY` terms, the default is all rows of the partition. With `ORDER BY` terms,
    ///     it is all rows up to the current row and its peers, the rows with equal `ORDER BY` values.
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
    /// The `PARTITION BY` expressions and the `ORDER BY` terms.
    var nodes: [any SQLNode] { partitions + orderings }

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
