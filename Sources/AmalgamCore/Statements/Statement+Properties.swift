import CAmalgam

extension Statement {
    /// 1 for EXPLAIN, 2 for EXPLAIN QUERY PLAN, 0 for other statements: <https://sqlite.org/c3ref/stmt_isexplain.html>.
    package var explanationMode: CInt { sqlite3_stmt_isexplain(sqliteStatement) }

    /// Returns one of SQLite's counters of the statement: <https://sqlite.org/c3ref/stmt_status.html>.
    package func count(_ counter: CInt, resets: Bool) -> Int {
        Int(sqlite3_stmt_status(sqliteStatement, counter, resets ? 1 : 0))
    }
}
