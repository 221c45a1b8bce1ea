public import AmalgamCore

/// A cursor over the changes of a changeset or patchset.
///
/// ```swift
/// let changes = try changeset.changes()
/// while let change = try changes.next() {
///     print(change)
/// }
/// ```
///
/// A cursor reads bytes in memory (``RecordedChanges/changes()``), or a ``ChangesetInput`` in chunks. It needs no
/// connection, and is used by one thread at a time.
public final class RecordedChangeCursor: Cursor {
    private let reader: ChangeReader
    private var end: Result<Void, any Error>?

    init(_ bytes: ChangesetBytes) throws {
        reader = try ChangeReader(bytes)
    }

    /// Creates a cursor over the changes of an input.
    ///
    /// ```swift
    /// let changes = try RecordedChangeCursor(.file(url))
    /// ```
    ///
    /// - Throws: the error of the input.
    public init(_ input: ChangesetInput) throws {
        reader = try ChangeReader(input)
    }

    /// Returns the next change, or nil at the end.
    ///
    /// - Throws: the error of the input; `SQLITE_CORRUPT` if the bytes aren't a changeset; `SQLITE_NOMEM`. Further
    ///   calls throw the same error.
    public func next() throws -> RecordedChange? {
        if let end {
            try end.get()
            return nil
        }
        do {
            if let change = try reader.next() { return change }
            end = .success(())
            return nil
        } catch {
            end = .failure(error)
            throw error
        }
    }
}
