/// The run of a cursor that owns no ``StatementRun``, because its type is declared in another module.
///
/// The statement owns the run, which has a weak reference to the cursor. The run exists as long as its cursor. This
/// distinguishes a cursor whose statement was run again from a cursor that hasn't started.
struct AdoptedRun {
    weak var cursor: AnyObject?
    let number: UInt64
    var end: End?

    enum End {
        case lastRow
        case failure(any Error)
    }
}

extension Statement {
    /// Moves to the next row, for a cursor that owns no ``StatementRun``. The first step starts the statement.
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
        } else {
            try startWithBoundValues()
            adoptedRuns.removeAll { $0.cursor == nil }
            adoptedRuns.append(AdoptedRun(cursor: cursor, number: runNumber))
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

    /// Ends the run of a cursor, after an element couldn't be decoded.
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
