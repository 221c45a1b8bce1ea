import CAmalgam

/// An object that stores the row changes of a connection, in the transactions that make them: see
/// ``Database/rowRecorder``.
///
/// The connection brackets each statement, changeset and write through a blob handle that may change rows with a
/// ``RowChangeRun``. It is used, like its connection, from one thread at a time.
package protocol RowChangeRecorder: AnyObject {
    /// Whether row changes of a statement may be recorded.
    func mayRecord(_ statement: Statement) -> Bool

    /// Whether the deletion of rows of a table may be recorded: SQLite must delete them one by one then.
    func recordsDeletions(_ table: String) -> Bool

    /// A statement is about to change rows.
    ///
    /// - Returns: nil when its changes aren't recorded.
    func beginRun(of statement: Statement) -> RowChangeRun?

    /// A call of SQLite is about to change rows with its own statements, in a transaction.
    func beginRun() -> RowChangeRun?

    /// A write through a blob handle is about to happen.
    ///
    /// Outside of a transaction, SQLite opens one for the handle, and commits it when the handle is closed.
    func beginRun(of bytes: UnsafeRawBufferPointer, at offset: Int) -> RowChangeRun?

    /// The run changes no more rows. It comes before one of the methods below.
    func endChanges(_ run: RowChangeRun)

    /// What the run has changed stays: stores the recorded rows, and ends the transaction that was opened.
    ///
    /// - Throws: an error of storing, or of the commit. The transaction is rolled back then.
    func finish(_ run: RowChangeRun) throws

    /// The run has failed, and SQLite has undone its changes, in a transaction that may be rolled back as a whole.
    func undo(_ run: RowChangeRun)

    /// The run has failed.
    ///
    /// - Parameters:
    ///   - undoesChanges: whether SQLite has undone the changes.
    ///   - failsOnConflict: whether SQLite has left the changes made before a conflict, because of `ON CONFLICT FAIL`.
    func fail(_ run: RowChangeRun, undoesChanges: Bool, failsOnConflict: Bool) throws

    /// SQLite compiles a statement under way again: it may change other rows than was known.
    func statementRecompiles()

    /// A statement has begun, ended or divided a transaction.
    func didRun(_ effect: TransactionEffect, wasInsideTransaction: Bool)

    /// SQLite begins or ends a savepoint by itself while it applies a changeset.
    func savepointWillChange(_ operation: String)

    /// SQLite has rolled the transaction back.
    func transactionDidRollback()

    /// Releases the statements that the recorder keeps: the connection closes.
    func releaseStatements()
}

/// The run of a statement, or of another call of SQLite, that changes recorded rows.
package struct RowChangeRun {
    /// Retained: a function that the statement calls may end the recording.
    package let recorder: any RowChangeRecorder

    /// How much was recorded before the run.
    package let mark: Int

    /// Whether a transaction was opened for the run.
    package let opensTransaction: Bool

    /// The statement that the application runs, for errors.
    package let statement: Statement?

    /// Whether the recorder recorded changes before the run.
    package let recordedBefore: Bool

    package init(
        recorder: any RowChangeRecorder, mark: Int, opensTransaction: Bool, statement: Statement?, recordedBefore: Bool
    ) {
        self.recorder = recorder
        self.mark = mark
        self.opensTransaction = opensTransaction
        self.statement = statement
        self.recordedBefore = recordedBefore
    }
}

/// The recorded tables and the schemas that an answer of ``RowChangeRecorder/mayRecord(_:)`` holds for.
package struct RecordingStamp: Equatable {
    private let tables: Int
    private let schema: SchemaState.Stamp

    /// - Parameter tables: a number that stands for the recorded tables, in the whole process.
    package init(_ database: Database, tables: Int) {
        self.tables = tables
        schema = database.schema.state.stamp
    }
}

extension Database {
    /// Runs statements that the application hasn't asked for. Traces, change counts, the recorded region and the
    /// authorizer don't see them.
    package func unnoticed<T>(_ body: () throws -> T) throws -> T {
        let counts = amalgam_get_change_counts(sqliteConnection)
        let accessedRegion = observation.accessedRegion
        observation.accessedRegion = nil
        defer {
            observation.accessedRegion = accessedRegion
            if let sqliteConnection { amalgam_set_change_counts(sqliteConnection, counts) }
        }
        return try withoutTrace { try withoutAuthorizer(body) }
    }

    /// Runs statements that no trace shows.
    package func withoutTrace<T>(_ body: () throws -> T) rethrows -> T {
        let mask = amalgam_trace_pause(sqliteConnection)
        defer { if let sqliteConnection { amalgam_trace_resume(sqliteConnection, mask) } }
        return try body()
    }

    /// A transaction begins without a statement: what statements do isn't known any more.
    package func transactionDidBegin() { observation.broker.didBeginTransaction() }

    /// The name of a column of the row that is about to change.
    package func columnNameOfRowChange(at index: Int) -> String? {
        amalgam_preupdate_column_name(sqliteConnection, CInt(index)).map { String(cString: $0) }
    }
}
