public import AmalgamCore
import CAmalgam

extension Statement {
    /// How SQLite would run the statement with its arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// print(try statement.queryPlan())
    /// // QUERY PLAN
    /// // `--SEARCH player USING INTEGER PRIMARY KEY (rowid=?)
    /// ```
    ///
    /// Another statement is compiled for the answer: this one, its arguments, and a cursor over it stay as they are.
    ///
    /// - throws: any error of the compilation.
    public func queryPlan() throws -> QueryPlan {
        QueryPlan(
            rows: try explained(.queryPlan).map { row in
                (id: row[0].integer, parent: row[1].integer, detail: row[3].text ?? "")
            })
    }

    /// The program that the statement is compiled to.
    ///
    /// Another statement is compiled for the answer: this one, its arguments, and a cursor over it stay as they are.
    ///
    /// - throws: any error of the compilation.
    public func bytecode() throws -> Bytecode {
        Bytecode(
            instructions: try explained(.bytecode).map { row in
                Bytecode.Instruction(
                    address: row[0].integer, opcode: row[1].text ?? "", p1: row[2].integer, p2: row[3].integer,
                    p3: row[4].integer, p4: row[5].text, p5: row[6].integer, comment: row[7].text)
            })
    }

    /// What a statement explains.
    public enum Explanation: Sendable {
        /// `EXPLAIN`: the program.
        case bytecode
        /// `EXPLAIN QUERY PLAN`: the steps.
        case queryPlan
    }

    /// What the statement explains, for SQL that begins with EXPLAIN; nil for all other statements.
    /// See <https://sqlite.org/c3ref/stmt_isexplain.html>.
    public var explanation: Explanation? {
        switch explanationMode {
        case 1: .bytecode
        case 2: .queryPlan
        default: nil
        }
    }

    /// The rows of an explanation of the statement. Another statement is compiled for it.
    ///
    /// - Throws: any error of the compilation.
    private func explained(_ explanation: Explanation) throws -> [[DatabaseValue]] {
        // Not by writing EXPLAIN before the SQL: the place of a mistake stays right.
        let copy = try database.makeStatement(sql: sql)
        // The explanation of EXPLAIN QUERY PLAN is that of the statement behind it.
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

    /// Whether the statement has given a row, and was neither run to its end nor started over:
    /// <https://sqlite.org/c3ref/stmt_busy.html>.
    public var isBusy: Bool { sqlite3_stmt_busy(sqliteStatement) != 0 }

    /// The SQL with all literal values replaced by question marks, for logs that may not hold data.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE name = 'Anna'")
    /// try statement.normalizedSQL   // "SELECT*FROM player WHERE name=?;"
    /// ```
    ///
    /// See <https://sqlite.org/c3ref/expanded_sql.html>.
    ///
    /// - throws: `SQLITE_MISUSE` in a build without `SQLITE_ENABLE_NORMALIZE`.
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
    /// How SQLite would run a statement.
    ///
    /// ```swift
    /// let plan = try db.queryPlan(sql: "SELECT * FROM player WHERE name = ?", arguments: ["Anna"])
    /// #expect(plan.usesIndex("player_on_name"))
    /// ```
    ///
    /// - Parameter arguments: values matter for the plan where `ANALYZE` has seen them; those left out are NULL.
    /// - throws: any error of the compilation; `SQLITE_MISUSE` for more than one statement.
    public func queryPlan(sql: String, arguments: StatementArguments = StatementArguments()) throws -> QueryPlan {
        let statement = try makeStatement(sql: sql)
        statement.setUncheckedArguments(arguments)
        return try statement.queryPlan()
    }

    /// The program that SQLite compiles a statement to.
    ///
    /// - throws: any error of the compilation; `SQLITE_MISUSE` for more than one statement.
    public func bytecode(sql: String) throws -> Bytecode {
        try makeStatement(sql: sql).bytecode()
    }
}

extension DatabaseValue {
    fileprivate var integer: Int { Int.fromDatabaseValue(self) ?? 0 }

    fileprivate var text: String? { String.fromDatabaseValue(self) }
}
