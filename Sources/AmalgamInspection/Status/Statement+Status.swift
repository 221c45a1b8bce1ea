public import AmalgamCore
import CAmalgam

extension Statement {
    /// A counter of a statement, over all its runs: <https://sqlite.org/c3ref/c_stmtstatus_counter.html>.
    ///
    /// ```swift
    /// let runs = try statement.status(.runs)
    /// ```
    public struct Counter: RawRepresentable, Hashable, Sendable {
        /// SQLite's code of the counter.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_STMTSTATUS_FULLSCAN_STEP`: the number of steps of full table scans. An index may avoid them.
        public static let fullScanSteps = Counter(rawValue: SQLITE_STMTSTATUS_FULLSCAN_STEP)

        /// `SQLITE_STMTSTATUS_SORT`: the number of sorts. An index may avoid them.
        public static let sorts = Counter(rawValue: SQLITE_STMTSTATUS_SORT)

        /// `SQLITE_STMTSTATUS_AUTOINDEX`: the number of rows inserted into automatic indexes. A permanent index of
        /// the table may avoid them.
        public static let automaticIndexRows = Counter(rawValue: SQLITE_STMTSTATUS_AUTOINDEX)

        /// `SQLITE_STMTSTATUS_VM_STEP`: the number of executed instructions.
        public static let instructions = Counter(rawValue: SQLITE_STMTSTATUS_VM_STEP)

        /// `SQLITE_STMTSTATUS_REPREPARE`: the number of recompilations.
        public static let recompilations = Counter(rawValue: SQLITE_STMTSTATUS_REPREPARE)

        /// `SQLITE_STMTSTATUS_RUN`: the number of runs.
        public static let runs = Counter(rawValue: SQLITE_STMTSTATUS_RUN)

        /// `SQLITE_STMTSTATUS_FILTER_HIT`: the number of join steps avoided by a Bloom filter.
        public static let filterHits = Counter(rawValue: SQLITE_STMTSTATUS_FILTER_HIT)

        /// `SQLITE_STMTSTATUS_FILTER_MISS`: the number of join steps that a Bloom filter didn't avoid.
        public static let filterMisses = Counter(rawValue: SQLITE_STMTSTATUS_FILTER_MISS)

        /// `SQLITE_STMTSTATUS_MEMUSED`: the size of the statement, in bytes. It isn't reset.
        public static let bytes = Counter(rawValue: SQLITE_STMTSTATUS_MEMUSED)

        /// Whether the counter must not be reset, because the library uses it to detect recompilations.
        fileprivate var isKept: Bool { self == .recompilations }

        fileprivate var isKnown: Bool {
            (SQLITE_STMTSTATUS_FULLSCAN_STEP...SQLITE_STMTSTATUS_FILTER_HIT).contains(rawValue) || self == .bytes
        }
    }

    /// Returns a counter of this statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player ORDER BY score")
    /// let players = try Row.fetchAll(statement)
    /// let sorts = try statement.status(.sorts)    // 1: an index on score would avoid it
    /// ```
    ///
    /// - Parameter resets: whether to reset the counter to 0. ``Counter/recompilations`` and ``Counter/bytes`` aren't
    ///   reset.
    /// - Throws: `SQLITE_MISUSE` if SQLite doesn't know the counter, or outside of a database access.
    @discardableResult
    public func status(_ counter: Counter, resets: Bool = false) throws -> Int {
        try database.checkAccess(sql: sql)
        guard counter.isKnown else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "SQLite has no counter with the number \(counter.rawValue).",
                sql: sql)
        }
        return count(counter.rawValue, resets: resets && !counter.isKept)
    }
}
