import AmalgamCore
import CAmalgam
import Foundation

/// A set of row changes, with old and new values: <https://sqlite.org/sessionintro.html>.
///
/// ```swift
/// let changeset = try db.recordChanges {
///     try db.execute(sql: "UPDATE player SET score = 20 WHERE id = 1")
/// }
/// print(changeset)                     // UPDATE player(1*, _, 10 -> 20)
/// try db.apply(changeset.inverted())   // score is 10 again
/// ```
///
/// A ``Session`` or a ``Changegroup`` creates changesets. ``RecordedChanges`` documents how to read and store them. In
/// printed changes, `*` marks a primary key value, and `_` a value that isn't recorded.
public struct Changeset: RecordedChanges {
    public static let isPatchset = false

    public let bytes: ChangesetBytes

    public init(bytes: ChangesetBytes) {
        self.bytes = bytes
    }

    /// Returns the inverse changes: <https://sqlite.org/session/sqlite3changeset_invert.html>.
    ///
    /// ```swift
    /// print(changeset)                 // INSERT player(1*, "Anna", 10)
    /// print(try changeset.inverted())  // DELETE player(1*, "Anna", 10)
    /// ```
    ///
    /// - Throws: an error of SQLite, such as `SQLITE_NOMEM`.
    public func inverted() throws -> Changeset {
        try Changeset(
            bytes: ChangesetBytes { count, result in
                let code = bytes.withSQLiteBytes { sqlite3changeset_invert($0, $1, count, result) }
                if code != SQLITE_OK { throw DatabaseError(code: code) }
            })
    }

    /// Writes the inverse changes of an input, in chunks.
    ///
    /// ```swift
    /// try Changeset.writeInverse(of: .file(url), to: .file(undoURL))
    /// ```
    ///
    /// - Throws: the error of the input or the output; `SQLITE_CORRUPT` if the input isn't a changeset.
    public static func writeInverse(of input: ChangesetInput, to output: ChangesetOutput) throws {
        try ChangeBatches(input).rewrite(to: output) { batch in
            try ChangesetBytes { count, result in
                let code = sqlite3changeset_invert(batch.count, batch.pointer, count, result)
                if code != SQLITE_OK { throw DatabaseError(code: code) }
            }
        }
    }
}

/// A set of row changes, with the new values, and with the primary keys of updated and deleted rows:
/// <https://sqlite.org/session/sqlite3session_patchset.html>.
///
/// ```swift
/// let patchset = try session.patchset()
/// print(patchset)  // UPDATE player(1*, _, _ -> 20)
/// ```
///
/// ``RecordedChanges`` documents how to read and store patchsets. A patchset can't be inverted. In printed changes, `*`
/// marks a primary key value, and `_` a value that isn't recorded.
public struct Patchset: RecordedChanges {
    public static let isPatchset = true

    public let bytes: ChangesetBytes

    public init(bytes: ChangesetBytes) {
        self.bytes = bytes
    }
}
