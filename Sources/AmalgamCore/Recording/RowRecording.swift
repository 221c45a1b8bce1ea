/// Someone who stores each change of rows in the transaction that makes it.
///
/// Rows are written down while a statement runs, in C (`shims/recorder.h`). They are stored after the statement and
/// before anything else, so that a savepoint or transaction that undoes the changes undoes what was stored of them.
package protocol RowRecording: AnyObject {
    /// Whether the rows of a table of the main database may be recorded, by a statement that is known to change them.
    func mayRecord(table: String) -> Bool

    /// What is recorded of the rows of a table.
    ///
    /// It is called in the middle of a change: the connection cannot be used.
    ///
    /// - Returns: the number that stands for the table when its rows are stored, and what becomes of each column; nil
    ///   when the rows of the table are not recorded.
    func plan(table: String, columns: [String], isShadow: Bool) -> (number: Int, columns: [RecordedColumn])?

    /// Stores the rows that were written down, with ``RecordedRows/store(with:origin:tables:)``.
    ///
    /// It is called inside of the transaction that changed the rows. An error rolls it back.
    func store(_ rows: RecordedRows, _ db: Database) throws

    /// What is stored from now on belongs to another transaction than what was stored before.
    func transactionDidBegin()

    /// What was stored lately may be undone: a statement, a savepoint or the transaction was rolled back.
    func changesWereUndone()

    /// Releases the statements it keeps: the connection closes.
    func releaseStatements()
}

/// What becomes of the values of a column.
package enum RecordedColumn: UInt8 {
    case leftOut
    case recorded
    /// It is recorded that they change.
    case redacted
}
