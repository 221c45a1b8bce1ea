public import AmalgamCore
import CAmalgam

extension Database {
    /// A limit of a connection: <https://sqlite.org/limits.html>.
    public struct Limit: RawRepresentable, Hashable, Sendable {
        /// The number that SQLite gives the limit: <https://sqlite.org/c3ref/c_limit_attached.html>.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_LIMIT_LENGTH`: bytes of a text, blob or row.
        public static let length = Limit(rawValue: SQLITE_LIMIT_LENGTH)

        /// `SQLITE_LIMIT_SQL_LENGTH`: bytes of a statement's text.
        public static let sqlLength = Limit(rawValue: SQLITE_LIMIT_SQL_LENGTH)

        /// `SQLITE_LIMIT_COLUMN`: columns of a table, a view, an index, a result, a SET or VALUES clause.
        public static let columnCount = Limit(rawValue: SQLITE_LIMIT_COLUMN)

        /// `SQLITE_LIMIT_EXPR_DEPTH`: depth of an expression's tree.
        public static let expressionDepth = Limit(rawValue: SQLITE_LIMIT_EXPR_DEPTH)

        /// `SQLITE_LIMIT_PARSER_DEPTH`: depth of the parser's stack.
        public static let parserDepth = Limit(rawValue: SQLITE_LIMIT_PARSER_DEPTH)

        /// `SQLITE_LIMIT_COMPOUND_SELECT`: SELECTs joined by UNION and the like.
        public static let compoundSelectCount = Limit(rawValue: SQLITE_LIMIT_COMPOUND_SELECT)

        /// `SQLITE_LIMIT_VDBE_OP`: instructions of a compiled statement.
        public static let instructionCount = Limit(rawValue: SQLITE_LIMIT_VDBE_OP)

        /// `SQLITE_LIMIT_FUNCTION_ARG`: arguments of a SQL function.
        public static let functionArgumentCount = Limit(rawValue: SQLITE_LIMIT_FUNCTION_ARG)

        /// `SQLITE_LIMIT_ATTACHED`: attached databases.
        public static let attachedCount = Limit(rawValue: SQLITE_LIMIT_ATTACHED)

        /// `SQLITE_LIMIT_LIKE_PATTERN_LENGTH`: bytes of a LIKE or GLOB pattern.
        public static let likePatternLength = Limit(rawValue: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)

        /// `SQLITE_LIMIT_VARIABLE_NUMBER`: parameters of a statement.
        public static let parameterCount = Limit(rawValue: SQLITE_LIMIT_VARIABLE_NUMBER)

        /// `SQLITE_LIMIT_TRIGGER_DEPTH`: triggers that fire triggers.
        public static let triggerDepth = Limit(rawValue: SQLITE_LIMIT_TRIGGER_DEPTH)

        /// `SQLITE_LIMIT_WORKER_THREADS`: threads that help a statement to sort.
        public static let workerThreadCount = Limit(rawValue: SQLITE_LIMIT_WORKER_THREADS)
    }

    /// How many parameters a statement may have: <https://sqlite.org/limits.html#max_variable_number>.
    public var maximumStatementArgumentCount: Int {
        sqliteConnection.map { Int(sqlite3_limit($0, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) } ?? 0
    }

    /// A limit of this connection.
    ///
    /// ```swift
    /// let count = try db.limit(.parameterCount)   // 32766
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` for a limit that SQLite does not know.
    public func limit(_ limit: Limit) throws -> Int {
        try checkAccess()
        return Int(try value(limit, -1))
    }

    /// Sets a limit of this connection, for SQL from elsewhere: <https://sqlite.org/security.html>.
    ///
    /// ```swift
    /// try db.setLimit(.length, to: 1_000_000)
    /// try db.setLimit(.sqlLength, to: 100_000)
    /// ```
    ///
    /// A limit that SQLite was not built for is not reached: what it is then is what ``limit(_:)`` says. The smallest
    /// ``Limit/length`` is 30 bytes. The default limits are the largest ones, but for worker threads.
    ///
    /// - Returns: the limit as it was before.
    /// - throws: `SQLITE_MISUSE` for a negative value, and for a limit that SQLite does not know.
    @discardableResult
    public func setLimit(_ limit: Limit, to newValue: Int) throws -> Int {
        try checkAccess()
        if newValue < 0 {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "A limit must not be negative: it is \(newValue).")
        }
        return Int(try value(limit, CInt(clamping: newValue)))
    }

    private func value(_ limit: Limit, _ newValue: CInt) throws -> CInt {
        let value = sqlite3_limit(sqliteConnection, limit.rawValue, newValue)
        if value < 0 {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "SQLite has no limit with the number \(limit.rawValue).")
        }
        return value
    }
}
