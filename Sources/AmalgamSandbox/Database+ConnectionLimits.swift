public import AmalgamCore
import CAmalgam

extension Database {
    /// A limit of a connection: <https://sqlite.org/limits.html>.
    ///
    /// ```swift
    /// let bytes = try db.limit(.sqlLength)
    /// ```
    public struct Limit: RawRepresentable, Hashable, Sendable {
        /// SQLite's code of the limit: <https://sqlite.org/c3ref/c_limit_attached.html>.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_LIMIT_LENGTH`: the size of a string, blob or row, in bytes.
        public static let length = Limit(rawValue: SQLITE_LIMIT_LENGTH)

        /// `SQLITE_LIMIT_SQL_LENGTH`: the length of the SQL of a statement, in bytes.
        public static let sqlLength = Limit(rawValue: SQLITE_LIMIT_SQL_LENGTH)

        /// `SQLITE_LIMIT_COLUMN`: the number of columns of a table, view, index or result, or of a SET or VALUES
        /// clause.
        public static let columnCount = Limit(rawValue: SQLITE_LIMIT_COLUMN)

        /// `SQLITE_LIMIT_EXPR_DEPTH`: the depth of an expression tree.
        public static let expressionDepth = Limit(rawValue: SQLITE_LIMIT_EXPR_DEPTH)

        /// `SQLITE_LIMIT_PARSER_DEPTH`: the depth of the parser's stack.
        public static let parserDepth = Limit(rawValue: SQLITE_LIMIT_PARSER_DEPTH)

        /// `SQLITE_LIMIT_COMPOUND_SELECT`: the number of terms of a compound SELECT, such as UNION.
        public static let compoundSelectCount = Limit(rawValue: SQLITE_LIMIT_COMPOUND_SELECT)

        /// `SQLITE_LIMIT_VDBE_OP`: the number of instructions of a compiled statement. A longer statement throws
        /// `SQLITE_TOOBIG`. SQLite doubles its memory for instructions, so that a statement may have fewer than the limit.
        public static let instructionCount = Limit(rawValue: SQLITE_LIMIT_VDBE_OP)

        /// `SQLITE_LIMIT_FUNCTION_ARG`: the number of arguments of an SQL function.
        public static let functionArgumentCount = Limit(rawValue: SQLITE_LIMIT_FUNCTION_ARG)

        /// `SQLITE_LIMIT_ATTACHED`: the number of attached databases.
        public static let attachedCount = Limit(rawValue: SQLITE_LIMIT_ATTACHED)

        /// `SQLITE_LIMIT_LIKE_PATTERN_LENGTH`: the length of a LIKE or GLOB pattern, in bytes.
        public static let likePatternLength = Limit(rawValue: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)

        /// `SQLITE_LIMIT_VARIABLE_NUMBER`: the number of parameters of a statement.
        public static let parameterCount = Limit(rawValue: SQLITE_LIMIT_VARIABLE_NUMBER)

        /// `SQLITE_LIMIT_TRIGGER_DEPTH`: the depth of nested triggers.
        public static let triggerDepth = Limit(rawValue: SQLITE_LIMIT_TRIGGER_DEPTH)

        /// `SQLITE_LIMIT_WORKER_THREADS`: the number of auxiliary threads of a statement, which help to sort.
        public static let workerThreadCount = Limit(rawValue: SQLITE_LIMIT_WORKER_THREADS)
    }

    /// The maximal number of parameters of a statement: <https://sqlite.org/limits.html#max_variable_number>. The
    /// number is 0 if the connection is closed.
    public var maximumStatementArgumentCount: Int {
        sqliteConnection.map { Int(sqlite3_limit($0, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) } ?? 0
    }

    /// Returns a limit of this connection.
    ///
    /// ```swift
    /// let count = try db.limit(.parameterCount)   // 32766
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if SQLite doesn't know the limit, or outside of a database access.
    public func limit(_ limit: Limit) throws -> Int {
        try checkAccess()
        return Int(try value(limit, -1))
    }

    /// Sets a limit of this connection, such as for untrusted SQL: <https://sqlite.org/security.html>.
    ///
    /// ```swift
    /// try db.setLimit(.length, to: 1_000_000)
    /// try db.setLimit(.sqlLength, to: 100_000)
    /// ```
    ///
    /// A value above the maximum that SQLite was built with is reduced to this maximum: ``limit(_:)`` returns the
    /// actual limit. A ``Limit/length`` below 30 bytes is raised to 30 bytes. By default, all limits except
    /// ``Limit/workerThreadCount`` are at their maximum.
    ///
    /// - Returns: the previous limit.
    /// - Throws: `SQLITE_MISUSE` if the value is negative, if SQLite doesn't know the limit, or outside of a database
    ///   access.
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
