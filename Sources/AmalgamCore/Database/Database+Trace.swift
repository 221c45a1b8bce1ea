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

    /// A traced event.
    public enum TraceEvent: CustomStringConvertible {
        /// A traced statement.
        public struct Statement: CustomStringConvertible {
            fileprivate let traced: TracedStatement
            fileprivate let publicStatementArguments: Bool

            /// The SQL, with its parameters.
            public var sql: String { traced.sql }

            /// The SQL, with arguments in the place of its parameters. They may be sensitive.
            public var expandedSQL: String { traced.expandedSQL }

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
        hooks.tracers.options = trace == nil ? [] : options.intersection([.statement, .profile])
        hooks.tracers.events = hooks.tracers.options.isEmpty ? nil : trace
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
        hooks.tracers.rows = body
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
        hooks.tracers.close = body
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
        let mask = hooks.tracers.mask
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
            hooks.tracers.close?()
        case SQLITE_TRACE_ROW:
            if let trace = hooks.tracers.rows { withTracedStatement(subject) { trace($0) } }
        case SQLITE_TRACE_PROFILE:
            let nanoseconds = detail?.load(as: Int64.self) ?? 0
            let duration = TimeInterval(nanoseconds) / 1e9
            if let trace = hooks.tracers.events {
                withTracedStatement(subject) { trace(.profile(statement: $0, duration: duration)) }
            }
        case SQLITE_TRACE_STMT:
            let text = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
            if let trace = hooks.tracers.events { withTracedStatement(subject, text) { trace(.statement($0)) } }
        default: break
        }
    }

    private func withTracedStatement(
        _ subject: UnsafeMutableRawPointer?, _ text: String? = nil, _ trace: (TraceEvent.Statement) -> Void
    ) {
        let sqliteStatement = SQLiteStatement(subject!)
        var traced = TracedStatement(
            sqliteStatement, comment: text.flatMap { isComment($0, sqliteStatement) ? $0 : nil })
        trace(
            TraceEvent.Statement(
                traced: traced, publicStatementArguments: configuration.publicStatementArguments))
        // An event that the closure has kept outlives SQLite's statement.
        if !isKnownUniquelyReferenced(&traced) { traced.detach() }
    }

    /// Whether a text is what SQLite says of a trigger, and not the SQL of a statement that begins with a comment.
    private func isComment(_ text: String, _ sqliteStatement: SQLiteStatement) -> Bool {
        guard text.hasPrefix("--") else { return false }
        return sqlite3_sql(sqliteStatement).map { String(cString: $0) } != text
    }
}

/// The statement of a traced event. It reads from SQLite during the call of the trace closure, and keeps copies afterwards.
private final class TracedStatement {
    private enum Source {
        case statement(SQLiteStatement)
        case copies(sql: String, expandedSQL: String)
    }

    private var source: Source

    /// What SQLite reports for statements that triggers and virtual tables run: a comment.
    private let comment: String?

    init(_ sqliteStatement: SQLiteStatement, comment: String?) {
        source = .statement(sqliteStatement)
        self.comment = comment
    }

    var sql: String {
        if let comment { return comment }
        switch source {
        case .copies(let sql, _): return sql
        case .statement(let statement):
            return sqlite3_sql(statement).map { String(cString: $0).trimmedSQLStatement } ?? ""
        }
    }

    var expandedSQL: String {
        if let comment { return comment }
        switch source {
        case .copies(_, let expandedSQL): return expandedSQL
        case .statement(let statement):
            guard let text = sqlite3_expanded_sql(statement) else { return sql }
            defer { sqlite3_free(text) }
            return String(cString: text).trimmedSQLStatement
        }
    }

    /// Makes copies of what SQLite has.
    func detach() { source = .copies(sql: sql, expandedSQL: expandedSQL) }
}
