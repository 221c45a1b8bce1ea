/// The execution of a statement by a cursor that owns no ``StatementRun``, because another module declares the type of
/// the cursor.
///
/// The statement stores this value until the cursor is released. A cursor without an `AdoptedRun` hasn't started. If
/// `number` isn't the statement's `runNumber`, other code has run the statement again.
struct AdoptedRun {
    weak var cursor: AnyObject?
    let number: UInt64
    /// The value of `EndedRuns.number` at the start: if it has changed, the database access of this run has ended.
    let resetNumber: UInt64
    var end: End?

    enum End {
        case lastRow
        case failure(any Error)
    }
}

extension Statement {
    /// Moves to the next row, for a cursor that owns no ``StatementRun``. The first call starts the statement.
    ///
    /// - Parameters:
    ///   - cursor: the cursor.
    ///   - isDone: whether the cursor has reached its end.
    /// - Returns: whether there is a row.
    /// - Throws: the error that ended the cursor; `SQLITE_MISUSE` if the statement was run again.
    @usableFromInline
    func step(for cursor: AnyObject, isDone: Bool) throws -> Bool {
        let run = adoptedRuns.last { $0.cursor === cursor }
        if case .failure(let error) = run?.end { throw error }
        if isDone || run?.end != nil { return false }
        if let run {
            guard run.number == runNumber else { throw wasRunAgain }
            try checkAccess()
            if run.resetNumber != database.access.endedRuns.number { throw wasEnded }
        } else {
            try startWithBoundValues()
            adoptedRuns.removeAll { $0.cursor == nil }
            let resetNumber = database.access.endedRuns.number
            adoptedRuns.append(AdoptedRun(cursor: cursor, number: runNumber, resetNumber: resetNumber))
        }
        do {
            if try step() { return true }
        } catch {
            end(cursor, .failure(error))
            throw error
        }
        end(cursor, .lastRow)
        return false
    }

    /// Ends the run of a cursor that couldn't decode an element, and returns the error to throw.
    @usableFromInline
    func failToDecode(_ error: any Error, for cursor: AnyObject) -> any Error {
        let error = decodingError(error)
        end(cursor, .failure(error))
        return error
    }

    private func end(_ cursor: AnyObject, _ end: AdoptedRun.End) {
        guard let index = adoptedRuns.lastIndex(where: { $0.cursor === cursor }) else { return }
        adoptedRuns[index].end = end
        if adoptedRuns[index].number == runNumber { reset() }
    }

    /// The error of a cursor whose statement was run again.
    var wasRunAgain: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The statement of this cursor was run again. Prepare one statement for each cursor that is in use \
                at the same time.
                """,
            sql: sql)
    }
}
