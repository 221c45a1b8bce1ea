import CAmalgam
public import Foundation

extension Database {
    /// The kinds of events to trace: <https://sqlite.org/c3ref/c_trace.html>.
    ///
    /// ```swift
    /// db.trace(options: [.statement, .profile]) { event in print(event) }
    /// ```
    public struct TracingOptions: OptionSet, Sendable {
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_TRACE_STMT`: a statement begins to run.
        public static let statement = TracingOptions(rawValue: SQLITE_TRACE_STMT)

        /// `SQLITE_TRACE_PROFILE`: a statement has finished.
        public static let profile = TracingOptions(rawValue: SQLITE_TRACE_PROFILE)
    }

    /// A traced event.
    ///
    /// ```swift
    /// db.trace(options: .profile) { event in
    ///     if case .profile(let statement, let duration) = event, duration > 1 { print("slow:", statement.sql) }
    /// }
    /// ```
    public enum TraceEvent: CustomStringConvertible {
        /// A traced statement. It may be used during the event and afterwards.
        public struct Statement: CustomStringConvertible {
            fileprivate let traced: TracedStatement
            fileprivate let publicStatementArguments: Bool

            /// The SQL. Its parameters aren't replaced by arguments.
            public var sql: String { traced.sql }

            /// The SQL, with parameters replaced by their arguments, which may be sensitive.
            public var expandedSQL: String { traced.expandedSQL }

            /// Whether the SQL is a comment with which SQLite reports a statement of a trigger or a virtual table.
            package var isComment: Bool { traced.isComment }

            /// The SQL, with arguments if `Configuration.publicStatementArguments` is true.
            public var description: String { publicStatementArguments ? expandedSQL : sql }
        }

        /// A statement begins to run.
        case statement(Statement)

        /// A statement has finished. The duration is in seconds.
        case profile(statement: Statement, duration: TimeInterval)

        /// The SQL, preceded by the duration of a profiled statement: `SELECT …`, or `0.003s SELECT …`. It includes
        /// arguments if `Configuration.publicStatementArguments` is true.
        public var description: String { text(\.description) }

        /// The description, always with arguments.
        public var expandedDescription: String { text(\.expandedSQL) }

        private func text(_ sql: (Statement) -> String) -> String {
            switch self {
            case .statement(let statement): sql(statement)
            case .profile(let statement, let duration): String(format: "%.3fs ", duration) + sql(statement)
            }
        }
    }

    /// Starts tracing the statements that run on this connection, or stops tracing.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.trace { print($0) }
    /// }
    /// ```
    ///
    /// The closure must not use the connection, whose methods throw `SQLITE_MISUSE` during the call. The closure may
    /// set a different trace closure, or stop tracing. See also ``traceRows(_:)`` and ``traceClose(_:)``.
    ///
    /// - Parameters:
    ///   - options: The kinds of events to trace.
    ///   - trace: The closure that receives each event; nil stops tracing.
    public func trace(options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil) {
        hooks.tracers.options = trace == nil ? [] : options.intersection([.statement, .profile])
        hooks.tracers.events = hooks.tracers.options.isEmpty ? nil : trace
        installTracers()
    }

    /// Starts tracing the rows that statements return, or stops tracing them: `SQLITE_TRACE_ROW`.
    ///
    /// ```swift
    /// var count = 0
    /// db.traceRows { _ in count += 1 }
    /// ```
    ///
    /// Rows can be traced at the same time as ``trace(options:_:)`` traces statements. The cost is one call per row.
    ///
    /// - Parameter body: The closure that is called before each row is returned; nil stops tracing rows. The closure
    ///   must not use the connection.
    public func traceRows(_ body: ((TraceEvent.Statement) -> Void)?) {
        hooks.tracers.rows = body
        installTracers()
    }

    /// Sets a closure that is called when the connection is about to be closed: `SQLITE_TRACE_CLOSE`.
    ///
    /// ```swift
    /// db.traceClose { print("closing") }
    /// ```
    ///
    /// If closing fails because a statement is in use, the next attempt calls the closure again.
    ///
    /// - Parameter body: The closure that is called before the connection is closed; nil removes it. The closure must
    ///   not use the connection.
    public func traceClose(_ body: (() -> Void)?) {
        hooks.tracers.close = body
        installTracers()
    }

    /// Starts recording the statements that run on this connection, next to the closure of ``trace(options:_:)``.
    ///
    /// - Parameter record: The closure that receives each statement. It must not use the connection.
    /// - Returns: A number for ``stopRecordingStatements(_:)``.
    package func recordStatements(_ record: @escaping (TraceEvent.Statement) -> Void) -> Int {
        let number = (hooks.tracers.recorders.last?.number ?? 0) + 1
        hooks.tracers.recorders.append((number, record))
        installTracers()
        return number
    }

    /// Removes a closure of ``recordStatements(_:)``.
    package func stopRecordingStatements(_ number: Int) {
        hooks.tracers.recorders.removeAll { $0.number == number }
        installTracers()
    }

    /// The closures that share SQLite's single trace callback.
    struct Tracers {
        fileprivate var options: TracingOptions = []
        fileprivate var events: ((TraceEvent) -> Void)?
        fileprivate var recorders: [(number: Int, record: (TraceEvent.Statement) -> Void)] = []
        fileprivate var rows: ((TraceEvent.Statement) -> Void)?
        fileprivate var close: (() -> Void)?

        fileprivate var mask: UInt32 {
            var mask = events == nil ? 0 : UInt32(bitPattern: options.rawValue)
            if !recorders.isEmpty { mask |= UInt32(SQLITE_TRACE_STMT) }
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

    /// Calls the closure for an event.
    ///
    /// - Parameters:
    ///   - subject: The statement, or the connection that is closed.
    ///   - detail: The SQL of a statement that begins to run, or the nanoseconds that a statement took.
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
            // A recorder makes SQLite report statements, also if the application traces other events only.
            let trace = hooks.tracers.options.contains(.statement) ? hooks.tracers.events : nil
            let recorders = hooks.tracers.recorders
            if trace == nil && recorders.isEmpty { return }
            withTracedStatement(subject, text) { statement in
                trace?(.statement(statement))
                for recorder in recorders { recorder.record(statement) }
            }
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
        // The closure may have retained the event, which must not read the statement afterwards.
        if !isKnownUniquelyReferenced(&traced) { traced.detach() }
    }

    /// Whether SQLite has reported a comment instead of SQL, as it does for triggers. False for a statement whose own
    /// SQL begins with a comment.
    private func isComment(_ text: String, _ sqliteStatement: SQLiteStatement) -> Bool {
        guard text.hasPrefix("--") else { return false }
        return sqlite3_sql(sqliteStatement).map { String(cString: $0) } != text
    }
}

/// The statement of a traced event. During the call of the trace closure, its SQL is read from SQLite. If the closure
/// retains this object, the SQL is copied after the call.
private final class TracedStatement {
    private enum Source {
        case statement(SQLiteStatement)
        case copies(sql: String, expandedSQL: String)
    }

    private var source: Source

    /// The comment that SQLite reports instead of SQL, for statements run by triggers and virtual tables.
    private let comment: String?

    init(_ sqliteStatement: SQLiteStatement, comment: String?) {
        source = .statement(sqliteStatement)
        self.comment = comment
    }

    var isComment: Bool { comment != nil }

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

    /// Copies the strings that SQLite owns.
    func detach() { source = .copies(sql: sql, expandedSQL: expandedSQL) }
}
