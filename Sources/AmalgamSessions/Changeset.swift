import AmalgamCore
import CAmalgam
import Foundation

/// Changes of rows, with their old and new values: <https://sqlite.org/sessionintro.html>.
///
/// ```swift
/// let changeset = try db.recordChanges {
///     try db.execute(sql: "UPDATE player SET score = 20 WHERE id = 1")
/// }
/// print(changeset)                     // UPDATE player(1*, _, 10 -> 20)
/// try db.apply(changeset.inverted())   // score is 10 again
/// ```
///
/// It comes from a ``Session``, a ``Changegroup``, or from bytes that were stored. ``RecordedChanges`` tells how
/// it is read, and what it can do as a value.
public struct Changeset: RecordedChanges {
    public static let isPatchset = false

    public let bytes: ChangesetBytes

    public init(bytes: ChangesetBytes) {
        self.bytes = bytes
    }

    /// The changes that undo these: <https://sqlite.org/session/sqlite3changeset_invert.html>.
    ///
    /// ```swift
    /// print(changeset)                 // INSERT player(1*, "Anna", 10)
    /// print(try changeset.inverted())  // DELETE player(1*, "Anna", 10)
    /// ```
    public func inverted() throws -> Changeset {
        try Changeset(
            bytes: ChangesetBytes { count, result in
                let code = bytes.withSQLiteBytes { sqlite3changeset_invert($0, $1, count, result) }
                if code != SQLITE_OK { throw DatabaseError(code: code) }
            })
    }

    /// Writes the changes that undo those of an input, chunk by chunk.
    ///
    /// ```swift
    /// try Changeset.writeInverse(of: .file(url), to: .file(undoURL))
    /// ```
    ///
    /// - throws: the error of the input or the output; `SQLITE_CORRUPT` for an input that is not a changeset.
    public static func writeInverse(of input: ChangesetInput, to output: ChangesetOutput) throws {
        try ChangeBatches(input).rewrite(to: output) { batch in
            try ChangesetBytes { count, result in
                let code = sqlite3changeset_invert(batch.count, batch.pointer, count, result)
                if code != SQLITE_OK { throw DatabaseError(code: code) }
            }
        }
    }
}

/// Changes of rows, with new values only, and the primary keys of what is updated or deleted:
/// <https://sqlite.org/session/sqlite3session_patchset.html>.
///
/// ```swift
/// let patchset = try session.patchset()
/// print(patchset)  // UPDATE player(1*, _, _ -> 20)
/// ```
///
/// ``RecordedChanges`` tells how it is read, and what it can do as a value. There is no way back from a patchset: it
/// cannot be inverted.
public struct Patchset: RecordedChanges {
    public static let isPatchset = true

    public let bytes: ChangesetBytes

    public init(bytes: ChangesetBytes) {
        self.bytes = bytes
    }
}
