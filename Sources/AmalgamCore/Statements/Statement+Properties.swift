import CAmalgam

extension Statement {
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

    /// The rows of an explanation of the statement. Another statement is compiled for it.
    ///
    /// - Throws: any error of the compilation.
    package func explained(_ explanation: Explanation) throws -> [[DatabaseValue]] {
        // Not by writing EXPLAIN before the SQL: the place of a mistake stays right.
        let copy = try database.makeStatement(sql: sql)
        // The explanation of EXPLAIN QUERY PLAN is that of the statement behind it.
        let code = sqlite3_stmt_explain(copy.sqliteStatement, explanation.mode)
        if code != SQLITE_OK { throw database.error(code, sql: sql) }
        copy.setUncheckedArguments(arguments)
        defer { copy.reset() }
        var rows: [[DatabaseValue]] = []
        while true {
            switch sqlite3_step(copy.sqliteStatement) {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(copy.sqliteStatement)).map { index in
                        DatabaseValue(sqliteStatement: copy.sqliteStatement, index: index)
                    })
            case SQLITE_DONE: return rows
            case let code: throw copy.failure(code)
            }
        }
    }

    /// One of SQLite's counters of the statement: <https://sqlite.org/c3ref/stmt_status.html>.
    package func count(_ counter: CInt, resets: Bool) -> Int {
        Int(sqlite3_stmt_status(sqliteStatement, counter, resets ? 1 : 0))
    }
}
