public import AmalgamCore

/// Which rows of a window count: <https://sqlite.org/windowfunctions.html#frame_specifications>.
///
/// ```swift
/// average($0.score).over(orderBy: $0.date, frame: .rows(from: .preceding(2), to: .currentRow))
/// // AVG("score") OVER (ORDER BY "date" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)
/// ```
public struct SQLWindowFrame: Sendable {
    /// Where a frame begins or ends.
    public struct Bound: Sendable {
        fileprivate let offset: (any SQLNode)?
        fileprivate let keywords: String

        private init(_ keywords: String, _ offset: (any SQLExpressible)? = nil) {
            self.offset = offset?.sqlExpression.node
            self.keywords = keywords
        }

        /// The first row: `UNBOUNDED PRECEDING`.
        public static let unboundedPreceding = Bound("UNBOUNDED PRECEDING")

        /// The row itself, and its equals in a frame of values or groups: `CURRENT ROW`.
        public static let currentRow = Bound("CURRENT ROW")

        /// The last row: `UNBOUNDED FOLLOWING`.
        public static let unboundedFollowing = Bound("UNBOUNDED FOLLOWING")

        /// Some rows, groups, or a difference, before: `2 PRECEDING`.
        public static func preceding(_ offset: some SQLExpressible) -> Bound { Bound(" PRECEDING", offset) }

        /// Some rows, groups, or a difference, behind: `2 FOLLOWING`.
        public static func following(_ offset: some SQLExpressible) -> Bound { Bound(" FOLLOWING", offset) }
    }

    /// Rows that do not count although they are in the frame.
    public enum Exclusion: String, Sendable {
        /// The row itself.
        case currentRow = " EXCLUDE CURRENT ROW"

        /// The row and those that are equal to it in the order.
        case group = " EXCLUDE GROUP"

        /// The rows that are equal to it in the order, and not the row itself.
        case ties = " EXCLUDE TIES"
    }

    private let unit: String
    private let start: Bound
    private let end: Bound
    private let exclusion: Exclusion?

    /// A number of rows: `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`.
    public static func rows(
        from start: Bound = .unboundedPreceding, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
    ) -> SQLWindowFrame {
        SQLWindowFrame(unit: "ROWS", start: start, end: end, exclusion: exclusion)
    }

    /// Rows whose value, by which they are ordered, differs by so much at most:
    /// `RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING`.
    public static func range(
        from start: Bound = .unboundedPreceding, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
    ) -> SQLWindowFrame {
        SQLWindowFrame(unit: "RANGE", start: start, end: end, exclusion: exclusion)
    }

    /// A number of groups of equal rows: `GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING`.
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
