public import AmalgamCore

/// A frame: the rows of a window that a function uses. See
/// <https://sqlite.org/windowfunctions.html#frame_specifications>.
///
/// ```swift
/// Player.select { average($0.score).over(orderBy: $0.id, frame: .rows(from: .preceding(2), to: .currentRow)) }
/// // SELECT AVG("score") OVER (ORDER BY "id" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM "player"
/// ```
public struct SQLWindowFrame: Sendable {
    /// The start or end of a frame.
    ///
    /// ```swift
    /// let frame = SQLWindowFrame.rows(from: .preceding(2), to: .currentRow)
    /// // ROWS BETWEEN 2 PRECEDING AND CURRENT ROW
    /// ```
    public struct Bound: Sendable {
        fileprivate let offset: (any SQLNode)?
        fileprivate let keywords: String

        private init(_ keywords: String, _ offset: (any SQLExpressible)? = nil) {
            self.offset = offset?.sqlExpression.node
            self.keywords = keywords
        }

        /// The first row of the partition: `UNBOUNDED PRECEDING`.
        public static let unboundedPreceding = Bound("UNBOUNDED PRECEDING")

        /// The current row, and its peers in a `RANGE` or `GROUPS` frame: `CURRENT ROW`.
        public static let currentRow = Bound("CURRENT ROW")

        /// The last row of the partition: `UNBOUNDED FOLLOWING`.
        public static let unboundedFollowing = Bound("UNBOUNDED FOLLOWING")

        /// Returns a bound before the current row, by a number of rows or groups, or by a difference: `2 PRECEDING`.
        public static func preceding(_ offset: some SQLExpressible) -> Bound { Bound(" PRECEDING", offset) }

        /// Returns a bound after the current row, by a number of rows or groups, or by a difference: `2 FOLLOWING`.
        public static func following(_ offset: some SQLExpressible) -> Bound { Bound(" FOLLOWING", offset) }
    }

    /// The rows that are excluded from a frame.
    public enum Exclusion: String, Sendable {
        /// The current row.
        case currentRow = " EXCLUDE CURRENT ROW"

        /// The current row and its peers.
        case group = " EXCLUDE GROUP"

        /// The peers of the current row, but not the current row.
        case ties = " EXCLUDE TIES"
    }

    private let unit: String
    private let start: Bound
    private let end: Bound
    private let exclusion: Exclusion?

    /// Returns a frame of rows: `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`.
    ///
    /// ```swift
    /// Player.select { average($0.score).over(orderBy: $0.id, frame: .rows(from: .preceding(2))) }
    /// // SELECT AVG("score") OVER (ORDER BY "id" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM "player"
    /// ```
    public static func rows(
        from start: Bound = .unboundedPreceding, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
    ) -> SQLWindowFrame {
        SQLWindowFrame(unit: "ROWS", start: start, end: end, exclusion: exclusion)
    }

    /// Returns a frame of the rows whose `ORDER BY` value is in a range around the `ORDER BY` value of the current row:
    /// `RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING`.
    ///
    /// ```swift
    /// Player.select { count().over(orderBy: $0.score, frame: .range(from: .preceding(10), to: .following(10))) }
    /// // SELECT COUNT(*) OVER (ORDER BY "score" RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING) FROM "player"
    /// ```
    public static func range(
        from start: Bound = .unboundedPreceding, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
    ) -> SQLWindowFrame {
        SQLWindowFrame(unit: "RANGE", start: start, end: end, exclusion: exclusion)
    }

    /// Returns a frame of groups of peers, which are rows with equal `ORDER BY` values:
    /// `GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING`.
    ///
    /// ```swift
    /// Player.select { sum($0.score).over(orderBy: $0.score, frame: .groups(from: .preceding(1))) }
    /// // SELECT SUM("score") OVER (ORDER BY "score" GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM "player"
    /// ```
    public static func groups(
        from start: Bound = .unboundedPreceding, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
    ) -> SQLWindowFrame {
        SQLWindowFrame(unit: "GROUPS", start: start, end: end, exclusion: exclusion)
    }

    /// Writes `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`.
    func write(to writer: inout SQLWriter) throws {
        writer.append("\(unit) BETWEEN ")
        try start.write(to: &writer)
        writer.append(" AND ")
        try end.write(to: &writer)
        if let exclusion { writer.append(exclusion.rawValue) }
    }
}

extension SQLWindowFrame.Bound {
    fileprivate func write(to writer: inout SQLWriter) throws {
        if let offset { try writer.append(operand: offset) }
        writer.append(keywords)
    }
}
