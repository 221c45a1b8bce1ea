import AmalgamCore
import CAmalgam

extension DatabaseTableFunction {
    /// Creates a function from an SQL query with parameters.
    ///
    /// ```swift
    /// let roster = DatabaseTableFunction(
    ///     "roster", arguments: ["team", .optional("minimum")], columns: ["name", "score"],
    ///     sql: """
    ///         SELECT name, score FROM player
    ///         WHERE teamName = :team AND score >= ifnull(:minimum, 0)
    ///         ORDER BY score DESC
    ///         """)
    /// try db.add(tableFunction: roster)
    /// // SELECT * FROM roster('Reds', 10)
    /// // SELECT team.name, roster.score FROM team, roster(team.name)
    /// ```
    ///
    /// SQLite copies values from the query to the calling statement, without conversion to Swift values. Observations
    /// of the calling statement also track the tables that the query reads.
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - arguments: the parameters of the query. Optional arguments that are left out are NULL.
    ///   - columns: names for the columns of the query, from left to right.
    ///   - sql: one read-only statement. If it can write, using the function throws `SQLITE_MISUSE`.
    public init(_ name: String, arguments: [TableFunctionArgument] = [], columns: [String], sql: String) {
        self.init(name, arguments, columns, StatementReader()) { arguments in
            CursorSupply(try StatementRows(arguments.database, sql: sql, arguments: arguments.statementArguments))
        }
        regions = [AnyDatabaseRegionConvertible { db in try db.makeStatement(sql: sql).databaseRegion }]
    }
}

extension TableFunctionArguments {
    fileprivate var statementArguments: StatementArguments {
        let pairs = zip(function.arguments, values).map { ($0.name, $1 ?? .null) }
        return StatementArguments(Dictionary(pairs) { first, _ in first })
    }
}

/// The rows of a statement from the connection's cache. Other code can't acquire the statement until this cursor is
/// released.
private final class StatementRows: Cursor {
    private let database: Database
    private let statement: Statement
    private let run: StatementRun

    init(_ database: Database, sql: String, arguments: StatementArguments) throws {
        let statement = try database.acquireStatement(sql: sql)
        do {
            guard statement.isReadonly else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "a table function can only read", sql: sql)
            }
            run = try StatementRun(statement, arguments: arguments)
        } catch {
            statement.returnToCache()
            throw error
        }
        self.database = database
        self.statement = statement
    }

    deinit {
        run.stop()
        statement.returnToCache()
    }

    func next() throws -> Statement? { try run.step() ? statement : nil }
}

private struct StatementReader: TableFunctionReader {
    func read(_ row: Statement, _ column: Int, _ result: borrowing SQLiteResult) {
        result.set(columnOf: row.sqliteStatement, at: CInt(column))
    }
}
