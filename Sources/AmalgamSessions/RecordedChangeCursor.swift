public import AmalgamCore

/// The changes of a changeset or patchset, one after the other.
///
/// ```swift
/// let changes = try changeset.changes()
/// while let change = try changes.next() {
///     print(change)
/// }
/// ```
///
/// It reads bytes in memory (``RecordedChanges/changes()``), or chunk by chunk what a ``ChangesetInput`` gives. It needs
/// no connection, and is used from one thread at a time. An error is never mistaken for the end: ``next()`` throws it.
public final class RecordedChangeCursor: Cursor {
    private let reader: ChangeReader
    private var end: Result<Void, any Error>?

    init(_ bytes: ChangesetBytes) throws {
        reader = try ChangeReader(bytes)
    }

    /// Reads an input.
    ///
    /// ```swift
    /// let changes = try RecordedChangeCursor(.file(url))
    /// ```
    ///
    /// - throws: the error of the input.
    public init(_ input: ChangesetInput) throws {
        reader = try ChangeReader(input)
    }

    /// The next change; nil at the end.
    ///
    /// - throws: the error of the input; `SQLITE_CORRUPT` for bytes that are no changeset; `SQLITE_NOMEM`. Further
    ///   calls throw it again.
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
