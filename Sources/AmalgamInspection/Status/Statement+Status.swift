public import AmalgamCore
import CAmalgam

extension Statement {
    /// What a statement counts, over all its runs: <https://sqlite.org/c3ref/c_stmtstatus_counter.html>.
    public struct Counter: RawRepresentable, Hashable, Sendable {
        /// The number that SQLite gives the counter.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_STMTSTATUS_FULLSCAN_STEP`: steps forward in a table that is read from end to end. An index may
        /// save them.
        public static let fullScanSteps = Counter(rawValue: SQLITE_STMTSTATUS_FULLSCAN_STEP)

        /// `SQLITE_STMTSTATUS_SORT`: sorts. An index may save them.
        public static let sorts = Counter(rawValue: SQLITE_STMTSTATUS_SORT)

        /// `SQLITE_STMTSTATUS_AUTOINDEX`: rows put into indexes made for one run. An index may save them.
        public static let automaticIndexRows = Counter(rawValue: SQLITE_STMTSTATUS_AUTOINDEX)

        /// `SQLITE_STMTSTATUS_VM_STEP`: instructions that ran.
        public static let instructions = Counter(rawValue: SQLITE_STMTSTATUS_VM_STEP)

        /// `SQLITE_STMTSTATUS_REPREPARE`: how often the statement was compiled again.
        public static let recompilations = Counter(rawValue: SQLITE_STMTSTATUS_REPREPARE)

        /// `SQLITE_STMTSTATUS_RUN`: runs.
        public static let runs = Counter(rawValue: SQLITE_STMTSTATUS_RUN)

        /// `SQLITE_STMTSTATUS_FILTER_HIT`: steps of joins that a Bloom filter has saved.
        public static let filterHits = Counter(rawValue: SQLITE_STMTSTATUS_FILTER_HIT)

        /// `SQLITE_STMTSTATUS_FILTER_MISS`: steps of joins that a Bloom filter has let pass.
        public static let filterMisses = Counter(rawValue: SQLITE_STMTSTATUS_FILTER_MISS)

        /// `SQLITE_STMTSTATUS_MEMUSED`: bytes that the statement takes. It is not reset.
        public static let bytes = Counter(rawValue: SQLITE_STMTSTATUS_MEMUSED)

        /// Whether the reset of this counter is the library's own business: by it, recompilations are noticed.
        fileprivate var isKept: Bool { self == .recompilations }

        fileprivate var isKnown: Bool {
            (SQLITE_STMTSTATUS_FULLSCAN_STEP...SQLITE_STMTSTATUS_FILTER_HIT).contains(rawValue) || self == .bytes
        }
    }

    /// What this statement has counted.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player ORDER BY score")
    /// let players = try Row.fetchAll(statement)
    /// let sorts = try statement.status(.sorts)    // 1: an index on score would save it
    /// ```
    ///
    /// - Parameter resets: whether the counter begins again at 0. ``Counter/recompilations`` and ``Counter/bytes`` do
    ///   not.
    /// - throws: `SQLITE_MISUSE` for a counter that SQLite does not know, and outside of an access.
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
