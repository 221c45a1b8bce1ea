public import CAmalgam

/// An execution of a statement, from its start to its end. Each cursor of this package owns one. For cursor types of
/// other modules, see `AdoptedRun`.
public final class StatementRun {
    @usableFromInline
    package let statement: Statement

    /// A copy of the pointer: reading it from the statement would retain the statement for each row.
    @usableFromInline
    let sqliteStatement: SQLiteStatement

    /// The number of this run among the runs of the statement.
    @usableFromInline
    let number: UInt64

    /// The value of `EndedRuns.number` at the start: if it has changed, the database access of this run has ended.
    private let resetNumber: UInt64

    /// Whether the statement is still in this run, and the current thread has access to its connection.
    package var isCurrent: Bool {
        guard case .running = state, statement.runNumber == number, statement.database.isAccessible else {
            return false
        }
        return resetNumber == statement.database.access.endedRuns.number
    }

    @usableFromInline
    enum State {
        case running
        case ended
        case failed(any Error)
    }

    @usableFromInline
    var state = State.running

    /// Starts the statement.
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't match the parameters of the statement.
    package init(_ statement: Statement, arguments: StatementArguments?) throws {
        try statement.start(arguments)
        self.statement = statement
        sqliteStatement = statement.sqliteStatement
        number = statement.runNumber
        resetNumber = statement.database.access.endedRuns.number
    }

    deinit { stop() }

    /// Stops the run early, on any thread.
    package func stop() {
        if case .running = state { statement.stop(run: number) }
    }

    /// Whether the run has reached its end without an error.
    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Ends the run, unless it has already ended or failed.
    func end() {
        guard case .running = state else { return }
        stop()
        state = .ended
    }

    /// Steps to the next row, and returns whether there is one.
    @inlinable
    package func step() throws -> Bool {
        guard case .running = state, statement.runNumber == number, statement.database.mayStepAnyStatement,
            !statement.isStepping
        else {
            return try stepCarefully()
        }
        return try stepNow()
    }

    @inlinable
    func stepNow() throws -> Bool {
        guard statement.stepsDirectly else { return try stepWriting() }
        let code = statement.stepOnce()
        if code == SQLITE_ROW { return true }
        return try end(code)
    }

    @usableFromInline
    func end(_ code: CInt) throws -> Bool {
        if code != SQLITE_DONE {
            let error = statement.failure(code)
            fail(error)
            throw error
        }
        state = .ended
        statement.reset()
        return false
    }

    @usableFromInline
    func stepWriting() throws -> Bool {
        do {
            if try statement.step() { return true }
        } catch {
            fail(error)
            throw error
        }
        return try end(SQLITE_DONE)
    }

    @usableFromInline
    func fail(_ error: any Error) {
        state = .failed(error)
        if statement.runNumber == number { statement.reset() }
    }

    /// Ends the run because an element couldn't be decoded, and returns the error to throw.
    @usableFromInline
    func failToDecode(_ error: any Error) -> any Error {
        let error = statement.decodingError(error)
        fail(error)
        return error
    }

    /// The slow path of ``step()``. It handles a run that has ended or failed, and a statement that can't be stepped
    /// now, for example outside of a database access, or in a sandbox that doesn't contain the statement. If the
    /// statement can't be stepped now, the method throws an error such as `SQLITE_MISUSE`, and the run doesn't end: a
    /// later call may succeed. A run whose statement was reset at the end of its access always throws.
    @usableFromInline
    func stepCarefully() throws -> Bool {
        switch state {
        case .ended: return false
        case .failed(let error): throw error
        case .running: break
        }
        guard statement.runNumber == number else { throw statement.wasRunAgain }
        let database = statement.database
        if !database.mayStep { try database.checkAccess(sql: statement.sql) }
        if resetNumber != database.access.endedRuns.number { throw statement.wasEnded }
        if statement.isStepping { throw statement.isRunningError }
        if statement.scope != database.access.scope { throw database.foreignScope(statement) }
        return try stepNow()
    }
}
