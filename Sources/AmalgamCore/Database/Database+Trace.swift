import CAmalgam
public import Foundation

extension Database {
    /// Which events are traced: <https://sqlite.org/c3ref/c_trace.html>.
    public struct TracingOptions: OptionSet, Sendable {
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_TRACE_STMT`: a statement begins to run.
        public static let statement = TracingOptions(rawValue: SQLITE_TRACE_STMT)

        /// `SQLITE_TRACE_PROFILE`: a statement has run.
        public static let profile = TracingOptions(rawValue: SQLITE_TRACE_PROFILE)
    }

    /// A traced event. It is valid during the call of the trace closure.
    public enum TraceEvent: CustomStringConvertible {
        /// A traced statement.
        public struct Statement: CustomStringConvertible {
            fileprivate let sqliteStatement: SQLiteStatement
            /// What SQLite says of statements that triggers and virtual tables run: a comment.
            fileprivate let comment: String?
            fileprivate let publicStatementArguments: Bool

            /// The SQL, with its parameters.
            public var sql: String {
                comment ?? sqlite3_sql(sqliteStatement).map { String(cString: $0).trimmedSQLStatement } ?? ""
            }

            /// The SQL, with arguments in the place of its parameters. They may be sensitive.
            public var expandedSQL: String {
                if let comment { return comment }
                guard let text = sqlite3_expanded_sql(sqliteStatement) else { return sql }
                defer { sqlite3_free(text) }
                return String(cString: text).trimmedSQLStatement
            }

            /// The SQL; with arguments when `Configuration.publicStatementArguments` is true.
            public var description: String { publicStatementArguments ? expandedSQL : sql }
        }

        /// A statement begins to run.
        case statement(Statement)

        /// A statement has run, in this number of seconds.
        case profile(statement: Statement, duration: TimeInterval)

        /// `SELECT …`, or `0.003s SELECT …`. Arguments are shown when `Configuration.publicStatementArguments` is
        /// true.
        public var description: String { text(\.description) }

        /// The description, with arguments.
        public var expandedDescription: String { text(\.expandedSQL) }

        private func text(_ sql: (Statement) -> String) -> String {
            switch self {
            case .statement(let statement): sql(statement)
            case .profile(let statement, let duration): String(format: "%.3fs ", duration) + sql(statement)
            }
        }
    }

    /// Follows the statements that run.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     db.trace { print($0) }
    /// }
    /// ```
    ///
    /// - Parameter trace: called for each event; nil stops tracing.
    public func trace(options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil) {
        guard let sqliteConnection else { return }
        traceCallback = trace
        guard trace != nil, !options.isEmpty else {
            traceCallback = nil
            sqlite3_trace_v2(sqliteConnection, 0, nil, nil)
            return
        }
        sqlite3_trace_v2(
            sqliteConnection, UInt32(bitPattern: options.rawValue),
            { kind, context, statement, detail in
                let db = Unmanaged<Database>.fromOpaque(context!).takeUnretainedValue()
                db.didTrace(kind, OpaquePointer(statement!), detail)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether a text is what SQLite says of a trigger, and not the SQL of a statement that begins with a comment.
    private func isComment(_ text: String, _ sqliteStatement: SQLiteStatement) -> Bool {
        guard text.hasPrefix("--") else { return false }
        return sqlite3_sql(sqliteStatement).map { String(cString: $0) } != text
    }

    private func didTrace(_ kind: UInt32, _ sqliteStatement: SQLiteStatement, _ detail: UnsafeMutableRawPointer?) {
        guard let traceCallback else { return }
        let isStatement = kind == UInt32(SQLITE_TRACE_STMT)
        let text = isStatement ? detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } : nil
        let statement = TraceEvent.Statement(
            sqliteStatement: sqliteStatement,
            comment: text.flatMap { isComment($0, sqliteStatement) ? $0 : nil },
            publicStatementArguments: configuration.publicStatementArguments)
        if isStatement {
            traceCallback(.statement(statement))
        } else {
            let nanoseconds = detail?.load(as: Int64.self) ?? 0
            traceCallback(.profile(statement: statement, duration: TimeInterval(nanoseconds) / 1e9))
        }
    }
}
