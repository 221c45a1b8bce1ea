public import AmalgamCore
import Synchronization

/// Records the SQL that connections run.
///
/// ```swift
/// let recorder = SQLRecorder()
/// var config = Configuration()
/// config.recordSQL(in: recorder)
/// let dbPool = try DatabasePool(path: path, configuration: config)
///
/// _ = try dbPool.read { db in try Player.fetchOne(db, key: 1) }
/// for statement in recorder.statements where !statement.controlsTransaction {
///     print(statement.connection, statement.expandedSQL)
///     // GRDB.DatabasePool.reader.1 SELECT * FROM "player" WHERE "id" = 1
/// }
/// ```
///
/// A statement is recorded when it begins to run. Statements that triggers, virtual tables and functions run aren't
/// recorded. The recorder works next to closures of `Database.trace(options:_:)`.
public final class SQLRecorder: Sendable {
    /// A recorded statement.
    public struct Statement: Hashable, Sendable {
        /// The name of the connection: its `Database.description`. The connections of a pool end with `.writer`,
        /// `.reader.1`, `.reader.2`, …
        public let connection: String

        /// The SQL, with parameters.
        public let sql: String

        /// The SQL, with arguments in place of its parameters.
        public let expandedSQL: String

        /// Whether the statement begins or ends a transaction or a savepoint.
        public var controlsTransaction: Bool {
            let keyword = sql.prefix { $0.isLetter }.uppercased()
            return ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"].contains(keyword)
        }

        init(_ db: Database, _ statement: Database.TraceEvent.Statement) {
            connection = db.description
            sql = statement.sql
            expandedSQL = statement.expandedSQL
        }
    }

    private let recorded = Mutex<[Statement]>([])

    /// Creates a recorder. ``AmalgamCore/Configuration/recordSQL(in:)`` adds it to connections.
    public init() {}

    /// The statements of all connections, in the order in which they began to run.
    public var statements: [Statement] { recorded.withLock { $0 } }

    /// The names of the connections with statements, in the order of their first statement.
    public var connections: [String] {
        statements.reduce(into: []) { names, statement in
            if !names.contains(statement.connection) { names.append(statement.connection) }
        }
    }

    /// Returns the statements of one connection.
    ///
    /// ```swift
    /// let writes = recorder.statements(of: "GRDB.DatabasePool.writer")
    /// ```
    public func statements(of connection: String) -> [Statement] { statements.filter { $0.connection == connection } }

    /// Returns the statements that begin to run during a closure, on any connection.
    ///
    /// ```swift
    /// let statements = try recorder.statements { try app.addPlayer(named: "Anna") }
    /// ```
    ///
    /// - Throws: The error of the closure.
    public func statements(during body: () throws -> Void) rethrows -> [Statement] {
        let start = recorded.withLock { $0.count }
        try body()
        return since(start)
    }

    /// Returns the statements that begin to run during a closure, on any connection.
    ///
    /// ```swift
    /// let statements = try await recorder.statements { try await app.addPlayer(named: "Anna") }
    /// ```
    ///
    /// - Throws: The error of the closure.
    public func statements(
        isolation: isolated (any Actor)? = #isolation, during body: () async throws -> Void
    ) async rethrows -> [Statement] {
        let start = recorded.withLock { $0.count }
        try await body()
        return since(start)
    }

    /// Removes all statements.
    public func removeAll() { recorded.withLock { $0 = [] } }

    /// The statements after the first ones. A call of `removeAll` may have removed these.
    private func since(_ start: Int) -> [Statement] { recorded.withLock { Array($0.dropFirst(min(start, $0.count))) } }

    func append(_ statement: Statement) { recorded.withLock { $0.append(statement) } }
}

extension SQLRecorder.Statement: CustomStringConvertible {
    /// The SQL, with arguments.
    public var description: String { expandedSQL }
}

extension Configuration {
    /// Records the SQL of all connections with this configuration.
    ///
    /// ```swift
    /// let recorder = SQLRecorder()
    /// var config = Configuration()
    /// config.recordSQL(in: recorder)
    /// ```
    ///
    /// Closures that were added before by `prepareDatabase` run before the recording begins.
    public mutating func recordSQL(in recorder: SQLRecorder) {
        prepareDatabase { db in
            _ = db.recordStatements { [unowned db] statement in
                if !statement.isComment { recorder.append(SQLRecorder.Statement(db, statement)) }
            }
        }
    }
}

extension Database {
    /// Returns the statements that a closure runs on this connection.
    ///
    /// ```swift
    /// let statements = try db.recordingSQL { _ = try Player.fetchAll(db) }
    /// print(statements)   // [SELECT * FROM "player"]
    /// ```
    ///
    /// Statements that triggers, virtual tables and functions run aren't among them.
    ///
    /// - Throws: The error of the closure.
    public func recordingSQL(_ body: () throws -> Void) rethrows -> [SQLRecorder.Statement] {
        let recorder = SQLRecorder()
        let number = recordStatements { [unowned self] statement in
            if !statement.isComment { recorder.append(SQLRecorder.Statement(self, statement)) }
        }
        defer { stopRecordingStatements(number) }
        try body()
        return recorder.statements
    }
}
