public import CAmalgam

/// A cursor over the rows of a statement.
///
/// The statement starts over when the cursor is made, and is reset when the cursor is released. A cursor whose
/// statement was given to somebody else meanwhile throws `SQLITE_MISUSE`, and so does a cursor that is asked for an
/// element when its database access has ended.
///
/// A statement that writes and returns rows (`RETURNING`) ends, and commits if it is on its own, with its last row. A
/// cursor released before that ends it as well; an error of the commit, which has no caller to go to then, goes to
/// ``Database/logError``.
public protocol DatabaseCursor<Element>: Cursor {
    /// The run of the statement.
    var _run: StatementRun { get }

    /// The element of the current row.
    func _element() throws -> Element
}

extension DatabaseCursor {
    /// The SQL of the statement.
    public var sql: String { _run.statement.sql }

    /// The arguments of the statement.
    public var arguments: StatementArguments { _run.statement.arguments }

    /// The names of the columns of the statement, from left to right.
    public var columnNames: [String] { _run.statement.columnNames }

    /// The number of columns of the statement.
    public var columnCount: Int { _run.statement.columnCount }

    /// What the statement reads.
    public var databaseRegion: DatabaseRegion { _run.statement.databaseRegion }

    @inlinable
    public func next() throws -> Element? {
        guard try _run.step() else { return nil }
        return try element()
    }

    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while try _run.step() { try body(element()) }
    }

    /// The elements that are left. `Array(cursor)` gives the same by `forEach`, which lends each element, so that the
    /// array has a copy and the element is released.
    @inlinable
    package func remainder() throws -> [Element] {
        var elements: [Element] = []
        while try _run.step() { elements.append(try element()) }
        return elements
    }

    /// An element that does not decode ends the cursor, as any error does.
    @inlinable
    package func element() throws -> Element {
        do {
            return try _element()
        } catch {
            throw _run.failToDecode(error)
        }
    }
}

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
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement.
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
        guard statement.runNumber == number else { throw wasRunAgain }
        try statement.database.checkAccess(sql: statement.sql)
        if statement.isStepping { throw statement.isRunningError }
        thread = ThreadID.current.rawValue
        return try step()
    }

    private var wasRunAgain: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The statement of this cursor was run again. Prepare one statement for each cursor that is in use \
                at the same time.
                """,
            sql: statement.sql)
    }
}
