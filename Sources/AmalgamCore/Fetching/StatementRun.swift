public import CAmalgam

/// One run of a statement, from its start to its end.
public final class StatementRun {
    @usableFromInline
    package let statement: Statement

    /// Spares the loops over rows a way through the statement, which would be retained for it.
    @usableFromInline
    let sqliteStatement: SQLiteStatement

    /// Which of the runs of the statement this is.
    @usableFromInline
    let number: UInt64

    /// The thread of the access in which the run was last checked. While that thread has access to the connection, a
    /// step needs no other check.
    @exclusivity(unchecked)  // A run is used from one thread, and none of its methods calls itself.
    @usableFromInline
    var thread: UInt

    /// Whether the statement is in this run, and not in a later one.
    package var isCurrent: Bool {
        if case .running = state { statement.runNumber == number } else { false }
    }

    @usableFromInline
    enum State {
        case running
        case ended
        case failed(any Error)
    }

    @exclusivity(unchecked)  // A run is used from one thread, and none of its methods calls itself.
    @usableFromInline
    var state = State.running

    /// Starts the statement.
    ///
    /// - Throws: `SQLITE_MISUSE` when the arguments do not fit the statement.
    package init(_ statement: Statement, arguments: StatementArguments?) throws {
        try statement.start(arguments)
        self.statement = statement
        sqliteStatement = statement.sqliteStatement
        number = statement.runNumber
        thread = ThreadID.current.rawValue
    }

    deinit { stop() }

    /// Ends the run before its end.
    func stop() {
        if isCurrent { statement.stop() }
    }

    /// Whether the run has reached its end, without an error.
    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Ends the run, unless it has ended or failed.
    func end() {
        guard case .running = state else { return }
        stop()
        state = .ended
    }

    /// Moves to the next row. Returns false when there is none.
    @inlinable
    package func step() throws -> Bool {
        guard case .running = state, statement.runNumber == number, statement.database.isOwned(by: thread),
            !statement.isStepping
        else {
            return try stepCarefully()
        }
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

    /// Ends the run with the error of an element.
    @usableFromInline
    func failToDecode(_ error: any Error) -> any Error {
        let error = statement.decodingError(error)
        fail(error)
        return error
    }

    /// A step that the run is not known to be ready for: it has ended, or goes on in another access than its last one,
    /// or nowhere. Misuse changes nothing.
    @usableFromInline
    func stepCarefully() throws -> Bool {
        switch state {
        case .ended: return false
        case .failed(let error): throw error
        case .running: break
        }
        guard statement.runNumber == number else { throw statement.wasRunAgain }
        try statement.database.checkAccess(sql: statement.sql)
        if statement.isStepping { throw statement.isRunningError }
        thread = ThreadID.current.rawValue
        return try step()
    }
}
