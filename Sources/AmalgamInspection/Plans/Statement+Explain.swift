public import AmalgamCore
import CAmalgam

extension Statement {
    /// Returns the execution plan of the statement, with its current arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// print(try statement.queryPlan())
    /// // QUERY PLAN
    /// // `--SEARCH player USING INTEGER PRIMARY KEY (rowid=?)
    /// ```
    ///
    /// The method compiles a copy of the statement. The statement, its arguments, and its cursors aren't affected.
    ///
    /// - Throws: a ``DatabaseError`` if the SQL can't be compiled.
    public func queryPlan() throws -> QueryPlan {
        QueryPlan(
            rows: try explained(.queryPlan).map { row in
                (id: row[0].integer, parent: row[1].integer, detail: row[3].text ?? "")
            })
    }

    /// Returns the bytecode of the statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player")
    /// print(try statement.bytecode())
    /// ```
    ///
    /// The method compiles a copy of the statement. The statement, its arguments, and its cursors aren't affected.
    ///
    /// - Throws: a ``DatabaseError`` if the SQL can't be compiled.
    public func bytecode() throws -> Bytecode {
        Bytecode(
            instructions: try explained(.bytecode).map { row in
                Bytecode.Instruction(
                    address: row[0].integer, opcode: row[1].text ?? "", p1: row[2].integer, p2: row[3].integer,
                    p3: row[4].integer, p4: row[5].text, p5: row[6].integer, comment: row[7].text)
            })
    }

    /// The kind of an EXPLAIN statement.
    public enum Explanation: Sendable {
        /// `EXPLAIN`, which returns the bytecode.
        case bytecode
        /// `EXPLAIN QUERY PLAN`, which returns the execution plan.
        case queryPlan
    }

    /// The kind of an EXPLAIN statement; nil for all other statements. See
    /// <https://sqlite.org/c3ref/stmt_isexplain.html>.
    ///
    /// ```swift
    /// try db.makeStatement(sql: "EXPLAIN QUERY PLAN SELECT 1").explanation   // .queryPlan
    /// ```
    public var explanation: Explanation? {
        switch explanationMode {
        case 1: .bytecode
        case 2: .queryPlan
        default: nil
        }
    }

    /// Compiles a copy of the statement, and returns the rows of its bytecode or query plan.
    ///
    /// - Throws: a ``DatabaseError`` if the SQL can't be compiled.
    private func explained(_ explanation: Explanation) throws -> [[DatabaseValue]] {
        // EXPLAIN isn't prepended to the SQL, so that errors have the right offset.
        let copy = try database.makeStatement(sql: sql)
        // For a statement that is itself EXPLAIN QUERY PLAN, SQLite explains the statement after these words.
        let code = sqlite3_stmt_explain(copy.sqliteStatement, explanation == .bytecode ? 1 : 2)
        if code != SQLITE_OK { throw database.error(code, sql: sql) }
        copy.setUncheckedArguments(arguments)
        defer { copy.reset() }
        var rows: [[DatabaseValue]] = []
        while true {
            switch copy.stepOnce() {
            case SQLITE_ROW:
                rows.append(
                    (0..<CInt(copy.columnCount)).map { index in
                        DatabaseValue(sqliteStatement: copy.sqliteStatement, index: index)
                    })
            case SQLITE_DONE: return rows
            case let code: throw copy.failure(code)
            }
        }
    }

    /// Whether the statement has returned a row, and has been neither run to its end nor reset:
    /// <https://sqlite.org/c3ref/stmt_busy.html>.
    public var isBusy: Bool { sqlite3_stmt_busy(sqliteStatement) != 0 }

    /// The SQL with literal values replaced by question marks, for logs that must not contain data.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE name = 'Anna'")
    /// try statement.normalizedSQL   // "SELECT*FROM player WHERE name=?;"
    /// ```
    ///
    /// See <https://sqlite.org/c3ref/expanded_sql.html>.
    ///
    /// - Throws: `SQLITE_MISUSE` in a build without `SQLITE_ENABLE_NORMALIZE`.
    public var normalizedSQL: String {
        get throws {
            try database.checkAccess(sql: sql)
            if let text = amalgam_normalized_sql(sqliteStatement) { return String(cString: text) }
            if SQLiteBuild.hasOption("ENABLE_NORMALIZE") { throw DatabaseError(resultCode: .SQLITE_NOMEM, sql: sql) }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "SQLite was built without SQLITE_ENABLE_NORMALIZE. Run scripts/bootstrap and build again.",
                sql: sql)
        }
    }
}

extension Database {
    /// Returns the execution plan of a statement.
    ///
    /// ```swift
    /// let plan = try db.queryPlan(sql: "SELECT * FROM player WHERE name = ?", arguments: ["Anna"])
    /// plan.usesIndex("player_on_name")   // true
    /// ```
    ///
    /// - Parameter arguments: the arguments of the statement, which influence the plan if `ANALYZE` has collected
    ///   statistics on the values. Missing arguments are NULL.
    /// - Throws: a ``DatabaseError`` if the SQL can't be compiled; `SQLITE_MISUSE` for SQL with several statements.
    public func queryPlan(sql: String, arguments: StatementArguments = StatementArguments()) throws -> QueryPlan {
        let statement = try makeStatement(sql: sql)
        statement.setUncheckedArguments(arguments)
        return try statement.queryPlan()
    }

    /// Returns the bytecode of a statement.
    ///
    /// ```swift
    /// let bytecode = try db.bytecode(sql: "SELECT name FROM player")
    /// bytecode.instructions.count   // 9, for instance
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the SQL can't be compiled; `SQLITE_MISUSE` for SQL with several statements.
    public func bytecode(sql: String) throws -> Bytecode {
        try makeStatement(sql: sql).bytecode()
    }
}

extension DatabaseValue {
    fileprivate var integer: Int { Int.fromDatabaseValue(self) ?? 0 }

    fileprivate var text: String? { String.fromDatabaseValue(self) }
}
