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
            rows: try explained(.queryPlan) { row in
                (
                    id: Int(sqlite3_column_int64(row, 0)), parent: Int(sqlite3_column_int64(row, 1)),
                    detail: String(sqliteStatement: row, index: 3)
                )
            })
    }

    /// The program that the statement is compiled to.
    ///
    /// Another statement is compiled for the answer: this one, its arguments, and a cursor over it stay as they are.
    ///
    /// - throws: any error of the compilation.
    public func bytecode() throws -> Bytecode {
        Bytecode(
            instructions: try explained(.bytecode) { row in
                Bytecode.Instruction(
                    address: Int(sqlite3_column_int64(row, 0)), opcode: String(sqliteStatement: row, index: 1),
                    p1: Int(sqlite3_column_int64(row, 2)), p2: Int(sqlite3_column_int64(row, 3)),
                    p3: Int(sqlite3_column_int64(row, 4)),
                    p4: String.fromStatement(row, atUncheckedIndex: 5), p5: Int(sqlite3_column_int64(row, 6)),
                    comment: String.fromStatement(row, atUncheckedIndex: 7))
            })
    }

    /// What a statement explains.
    public enum Explanation: Sendable {
        /// `EXPLAIN`: the program.
        case bytecode
        /// `EXPLAIN QUERY PLAN`: the steps.
        case queryPlan

        fileprivate var mode: CInt {
            switch self {
            case .bytecode: 1
            case .queryPlan: 2
            }
        }
    }

    /// What the statement explains, for SQL that begins with EXPLAIN; nil for all other statements.
    /// See <https://sqlite.org/c3ref/stmt_isexplain.html>.
    public var explanation: Explanation? {
        switch sqlite3_stmt_isexplain(sqliteStatement) {
        case 1: .bytecode
        case 2: .queryPlan
        default: nil
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

    /// The rows of an explanation.
    private func explained<Element>(
        _ explanation: Explanation, _ element: (SQLiteStatement) -> Element
    ) throws -> [Element] {
        // Not by writing EXPLAIN before the SQL: the place of a mistake stays right.
        let copy = try database.makeStatement(sql: sql)
        // The explanation of EXPLAIN QUERY PLAN is that of the statement behind it.
        let code = sqlite3_stmt_explain(copy.sqliteStatement, explanation.mode)
        if code != SQLITE_OK { throw database.error(code, sql: sql) }
        copy.setUncheckedArguments(arguments)
        defer { copy.reset() }
        var elements: [Element] = []
        while true {
            switch sqlite3_step(copy.sqliteStatement) {
            case SQLITE_ROW: elements.append(element(copy.sqliteStatement))
            case SQLITE_DONE: return elements
            case let code: throw copy.failure(code)
            }
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
