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
    /// The closure must not use the connection: methods that throw throw `SQLITE_MISUSE` there. It may set another
    /// closure, or stop tracing. See also ``traceRows(_:)`` and ``traceClose(_:)``.
    ///
    /// - Parameter trace: called for each event; nil stops tracing.
    public func trace(options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil) {
        tracers.options = trace == nil ? [] : options.intersection([.statement, .profile])
        tracers.events = tracers.options.isEmpty ? nil : trace
        installTracers()
    }

    /// Follows the rows that statements give, one call for each: `SQLITE_TRACE_ROW`.
    ///
    /// ```swift
    /// var count = 0
    /// db.traceRows { _ in count += 1 }
    /// ```
    ///
    /// Works beside ``trace(options:_:)``. It costs a call for each row.
    ///
    /// - Parameter body: called before a row is handed out; nil stops tracing rows. It must not use the connection.
    public func traceRows(_ body: ((TraceEvent.Statement) -> Void)?) {
        tracers.rows = body
        installTracers()
    }

    /// Calls a closure when the connection is about to be closed: `SQLITE_TRACE_CLOSE`.
    ///
    /// ```swift
    /// db.traceClose { print("closing") }
    /// ```
    ///
    /// It comes again when closing failed, because a statement was in use, and is tried again.
    ///
    /// - Parameter body: called before the connection is closed; nil removes it. It must not use the connection.
    public func traceClose(_ body: (() -> Void)?) {
        tracers.close = body
        installTracers()
    }

    /// The closures behind SQLite's one slot.
    struct Tracers {
        fileprivate var options: TracingOptions = []
        fileprivate var events: ((TraceEvent) -> Void)?
        fileprivate var rows: ((TraceEvent.Statement) -> Void)?
        fileprivate var close: (() -> Void)?

        fileprivate var mask: UInt32 {
            var mask = events == nil ? 0 : UInt32(bitPattern: options.rawValue)
            if rows != nil { mask |= UInt32(SQLITE_TRACE_ROW) }
            if close != nil { mask |= UInt32(SQLITE_TRACE_CLOSE) }
            return mask
        }
    }

    private func installTracers() {
        guard let sqliteConnection else { return }
        let mask = tracers.mask
        guard mask != 0 else {
            sqlite3_trace_v2(sqliteConnection, 0, nil, nil)
            return
        }
        sqlite3_trace_v2(
            sqliteConnection, mask,
            { kind, context, subject, detail in
                let db = Unmanaged<Database>.fromOpaque(context!).takeUnretainedValue()
                db.duringCallback { db.didTrace(kind, subject, detail) }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// - Parameters:
    ///   - subject: the statement; the connection when it is closed.
    ///   - detail: the SQL of a statement that begins, the nanoseconds of one that has run.
    private func didTrace(_ kind: UInt32, _ subject: UnsafeMutableRawPointer?, _ detail: UnsafeMutableRawPointer?) {
        switch CInt(bitPattern: kind) {
        case SQLITE_TRACE_CLOSE:
            tracers.close?()
        case SQLITE_TRACE_ROW:
            tracers.rows?(tracedStatement(subject))
        case SQLITE_TRACE_PROFILE:
            let nanoseconds = detail?.load(as: Int64.self) ?? 0
            let duration = TimeInterval(nanoseconds) / 1e9
            tracers.events?(.profile(statement: tracedStatement(subject), duration: duration))
        case SQLITE_TRACE_STMT:
            let text = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
            tracers.events?(.statement(tracedStatement(subject, text)))
        default: break
        }
    }

    private func tracedStatement(_ subject: UnsafeMutableRawPointer?, _ text: String? = nil) -> TraceEvent.Statement {
        let sqliteStatement = SQLiteStatement(subject!)
        return TraceEvent.Statement(
            sqliteStatement: sqliteStatement,
            comment: text.flatMap { isComment($0, sqliteStatement) ? $0 : nil },
            publicStatementArguments: configuration.publicStatementArguments)
    }

    /// Whether a text is what SQLite says of a trigger, and not the SQL of a statement that begins with a comment.
    private func isComment(_ text: String, _ sqliteStatement: SQLiteStatement) -> Bool {
        guard text.hasPrefix("--") else { return false }
        return sqlite3_sql(sqliteStatement).map { String(cString: $0) } != text
    }
}
