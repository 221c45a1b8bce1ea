import CAmalgam

/// Statements that are still active at the end of a database access: a cursor outlives the access, or C code has stepped
/// the statement. They would keep the read mark of their snapshot, so that later reads of the connection would see an old
/// state of the database, or the transaction in which they have written, so that no later write could be committed.
///
/// So they are reset. In autocommit mode, this commits what they have written. SQLite doesn't tell which cursors use a
/// statement: each run knows the number of resets at its beginning, and `AccessConditions.checkingRuns` makes cursors compare it.
extension Database {
    /// Resets the statements that are still active. Blob handles stay open.
    ///
    /// - Throws: the error of the commit; the error of an observer that refuses the commit.
    package func resetActiveStatements() throws {
        guard let sqliteConnection, amalgam_active_count(sqliteConnection) > 0 else { return }
        let result = Result { try resetAll() }
        if activeStatement != nil {
            // An observer that was notified of the commit has left another statement. It could do so again.
            observation.broker.deniesConnection = true
            defer { observation.broker.deniesConnection = false }
            try? resetAll()
        }
        try result.get()
    }

    /// An active statement; nil for none.
    private var activeStatement: SQLiteStatement? { hooks.pointer.flatMap { amalgam_active_statement($0) } }

    private func resetAll() throws {
        var firstError: (any Error)?
        while let statement = activeStatement {
            access.endedRuns.insert(statement)
            let code = sqlite3_reset(statement)
            if code == SQLITE_OK { continue }
            // A failed step was reset at once, so this error comes from the commit.
            let commitError = failure(code, error(code, sql: sqlite3_sql(statement).map { String(cString: $0) }))
            firstError = firstError ?? commitError
        }
        if let firstError { throw firstError }
        try didEndRun()
    }

    /// Resets the statements that are still active, at the end of an access that can't throw. Errors go to
    /// ``logError``.
    package func endActiveStatements() {
        do {
            try resetActiveStatements()
        } catch {
            logLostError(error, "a statement failed when its database access ended before its last row")
        }
    }

    /// Ends what still reads at the end of a read of a pool: statements, and blob handles, which expire. The next read on
    /// this connection sees the last commit.
    package func endReading() {
        endActiveStatements()
        guard let sqliteConnection, amalgam_active_count(sqliteConnection) > 0 else { return }
        attachments.forEach { $0.readDidEnd() }
    }
}

/// The runs of statements that were reset at the end of a database access, while cursors may still use them.
struct EndedRuns {
    /// The number of resets so far.
    private(set) var number: UInt64 = 0

    /// The statements whose cursors haven't been released yet.
    private var statements: Set<SQLiteStatement> = []

    var isEmpty: Bool { statements.isEmpty }

    mutating func insert(_ statement: SQLiteStatement) {
        number += 1
        statements.insert(statement)
    }

    /// Called when a cursor of the statement is released before its last row.
    mutating func remove(_ statement: SQLiteStatement) { statements.remove(statement) }
}

extension ConnectionAccess {
    /// Called when a cursor of a statement is released before its last row.
    func cursorWasReleased(of statement: SQLiteStatement) {
        if !endedRuns.isEmpty { endedRuns.remove(statement) }
    }
}

extension Statement {
    /// The error of a cursor whose statement was reset at the end of its database access.
    var wasEnded: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The database access in which this cursor has begun has ended. Use a cursor in one access only, or fetch \
                an array.
                """,
            sql: sql)
    }
}
