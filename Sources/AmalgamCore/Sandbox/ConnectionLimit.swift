import CAmalgam

extension Database {
    /// A limit of a connection, set at run time: <https://sqlite.org/c3ref/c_limit_attached.html>.
    public struct Limit: RawRepresentable, Hashable, Sendable {
        /// The number that SQLite gives the limit.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_LIMIT_LENGTH`: bytes of a text, a blob, or a row.
        public static let length = Limit(rawValue: SQLITE_LIMIT_LENGTH)
        /// `SQLITE_LIMIT_SQL_LENGTH`: bytes of a statement.
        public static let sqlLength = Limit(rawValue: SQLITE_LIMIT_SQL_LENGTH)
        /// `SQLITE_LIMIT_COLUMN`: columns of a table, an index, a result, a GROUP BY or ORDER BY.
        public static let columnCount = Limit(rawValue: SQLITE_LIMIT_COLUMN)
        /// `SQLITE_LIMIT_EXPR_DEPTH`: the depth of the tree of an expression.
        public static let expressionDepth = Limit(rawValue: SQLITE_LIMIT_EXPR_DEPTH)
        /// `SQLITE_LIMIT_COMPOUND_SELECT`: the SELECTs of a UNION, INTERSECT or EXCEPT.
        public static let compoundSelectTerms = Limit(rawValue: SQLITE_LIMIT_COMPOUND_SELECT)
        /// `SQLITE_LIMIT_VDBE_OP`: instructions of a compiled statement.
        public static let instructionCount = Limit(rawValue: SQLITE_LIMIT_VDBE_OP)
        /// `SQLITE_LIMIT_FUNCTION_ARG`: arguments of a function.
        public static let functionArgumentCount = Limit(rawValue: SQLITE_LIMIT_FUNCTION_ARG)
        /// `SQLITE_LIMIT_ATTACHED`: attached databases.
        public static let attachedDatabases = Limit(rawValue: SQLITE_LIMIT_ATTACHED)
        /// `SQLITE_LIMIT_LIKE_PATTERN_LENGTH`: bytes of a pattern of LIKE or GLOB.
        public static let likePatternLength = Limit(rawValue: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)
        /// `SQLITE_LIMIT_VARIABLE_NUMBER`: the number of the last parameter of a statement.
        public static let parameterCount = Limit(rawValue: SQLITE_LIMIT_VARIABLE_NUMBER)
        /// `SQLITE_LIMIT_TRIGGER_DEPTH`: how deep triggers may fire triggers.
        public static let triggerDepth = Limit(rawValue: SQLITE_LIMIT_TRIGGER_DEPTH)
        /// `SQLITE_LIMIT_WORKER_THREADS`: threads that may help one statement to sort.
        public static let workerThreads = Limit(rawValue: SQLITE_LIMIT_WORKER_THREADS)
    }

    /// The value of a limit: <https://sqlite.org/c3ref/limit.html>.
    ///
    /// - Returns: 0 when the connection is closed, -1 for a limit that SQLite does not know.
    public func limit(_ limit: Limit) -> Int {
        sqliteConnection.map { Int(sqlite3_limit($0, limit.rawValue, -1)) } ?? 0
    }

    /// Sets a limit, up to the one that SQLite was compiled with: <https://sqlite.org/limits.html>.
    ///
    /// ```swift
    /// try db.setLimit(.length, to: 1_000_000)
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` for a negative number, or a limit that SQLite does not know.
    public func setLimit(_ limit: Limit, to value: Int) throws {
        try checkAccess()
        guard value >= 0, apply(limit, value) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "there is no limit \(limit.rawValue) that can be set to \(value)")
        }
    }

    private func apply(_ limit: Limit, _ value: Int) -> Bool {
        guard let sqliteConnection else { return false }
        return sqlite3_limit(sqliteConnection, limit.rawValue, CInt(clamping: value)) >= 0
    }

    /// Runs a closure under limits that are lower than those outside.
    func withConnectionLimits<T>(_ limits: [Limit: Int], _ body: () throws -> T) throws -> T {
        let previous = limits.keys.map { ($0, limit($0)) }
        defer { for (limit, value) in previous { _ = apply(limit, value) } }
        for (limit, value) in limits { try setLimit(limit, to: min(value, self.limit(limit))) }
        return try body()
    }
}
