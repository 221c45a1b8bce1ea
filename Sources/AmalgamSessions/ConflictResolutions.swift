import AmalgamCore
import CAmalgam
public import Foundation

/// How the conflicts of an applied changeset were resolved. Other changesets can be rebased on these resolutions.
///
/// ```swift
/// let resolutions = try db.apply(remote) { conflict in conflict.replaceOrOmit }.resolutions
/// let rebased = try local.rebased(on: resolutions)
/// ```
///
/// SQLite calls this the rebase buffer: <https://sqlite.org/session/rebaser.html>. The value is in
/// ``ChangesetApplication/resolutions``, and can be stored.
public struct ConflictResolutions: Hashable, Sendable, Codable {
    let bytes: ChangesetBytes

    init(bytes: ChangesetBytes) {
        self.bytes = bytes
    }

    /// Creates the resolutions from stored bytes, and checks that the bytes are well-formed.
    ///
    /// ```swift
    /// let resolutions = try ConflictResolutions(data: Data(contentsOf: url))
    /// ```
    ///
    /// - Throws: `SQLITE_CORRUPT` if the bytes are malformed.
    public init(data: Data) throws {
        bytes = try data.withUnsafeBytes(ChangesetBytes.init(copying:))
        try ChangeReader(bytes).check(isPatchset: false)
    }

    /// The bytes as `Data`, without a copy.
    public var data: Data { bytes.data }

    /// Whether the changeset was applied without conflicts.
    public var isEmpty: Bool { bytes.count == 0 }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(data)
    }

    public init(from decoder: any Decoder) throws {
        self = try decodeBytes(from: decoder) { try Self(data: $0) }
    }
}

extension Changeset {
    /// Returns the changeset as if its changes had been recorded after a remote changeset was applied.
    ///
    /// The resolutions are those of the conflicts that occurred when the remote changeset was applied to this database.
    /// The database from which the remote changeset comes can apply the result without resolving these conflicts again.
    ///
    /// ```swift
    /// // `local` was recorded in this database, `remote` in the other one, from the same state.
    /// let application = try db.apply(remote) { conflict in conflict.replaceOrOmit }
    /// let rebased = try local.rebased(on: application.resolutions)
    /// // In the other database, `rebased` applies without a conflict.
    /// ```
    ///
    /// For example, both changesets insert a row with the same primary key. If the conflict was resolved with `.omit`,
    /// the local insertion becomes an update, because the other database already contains the remote row. If the
    /// conflict was resolved with `.replace`, the local insertion is dropped, because the remote row has replaced the
    /// local one. See <https://sqlite.org/session/rebaser.html> for all cases.
    ///
    /// SQLite compares the primary keys of both changesets by their type and bytes. Keys that only the table takes for
    /// equal, such as 1 and 1.0 in a column without a type, or `'a'` and `'A'` in a column with `COLLATE NOCASE`, are two
    /// rows for it: the databases can end with different contents. So they can after a local update between values that
    /// SQL takes for equal, such as 0.0 and -0.0, or 1 and 1.0: SQLite finds no conflict between this update and the
    /// remote changes, and the other database reports one when it applies the result.
    ///
    /// - Throws: `SQLITE_SCHEMA` if a table has different columns, or a different primary key, than in the resolutions.
    public func rebased(on resolutions: ConflictResolutions) throws -> Changeset {
        try rebased(on: [resolutions])
    }

    /// Returns the changeset, rebased on the resolutions of several remote changesets, which were applied in sequence.
    ///
    /// ```swift
    /// let rebased = try local.rebased(on: [first.resolutions, second.resolutions])
    /// ```
    ///
    /// - Parameter resolutions: the resolutions, in the order in which the changesets were applied.
    /// - Throws: `SQLITE_SCHEMA` if a table has different columns, or a different primary key, than in the resolutions.
    public func rebased(on resolutions: [ConflictResolutions]) throws -> Changeset {
        let rebaser = try Rebaser(resolutions)
        let reader = try ChangeReader(bytes)
        while try reader.step() { try rebaser.check(reader.table()) }
        return try Changeset(bytes: bytes.withSQLiteBytes(rebaser.rebase))
    }

    /// Rebases the changeset of an input, like ``rebased(on:)-(ConflictResolutions)``, and writes the result in chunks.
    ///
    /// ```swift
    /// try Changeset.writeRebased(.file(url), on: [application.resolutions], to: .file(rebasedURL))
    /// ```
    ///
    /// - Throws: the error of the input or the output; `SQLITE_CORRUPT` if the input isn't a changeset; `SQLITE_SCHEMA`
    ///   if a table has different columns, or a different primary key, than in the resolutions.
    public static func writeRebased(
        _ input: ChangesetInput, on resolutions: [ConflictResolutions], to output: ChangesetOutput
    ) throws {
        let rebaser = try Rebaser(resolutions)
        try ChangeBatches(input).rewrite(to: output) { batch in
            try rebaser.check(batch.table)
            return try rebaser.rebase(batch.count, batch.pointer)
        }
    }
}

/// SQLite's rebaser, and the tables of its resolutions.
private final class Rebaser {
    private var rebaser: OpaquePointer?
    private var tables: [TableName: RecordedTable] = [:]
    private var checkedTable: RecordedTable?

    init(_ resolutions: [ConflictResolutions]) throws {
        try Self.check(sqlite3rebaser_create(&rebaser))
        for bytes in resolutions.map(\.bytes) {
            let reader = try ChangeReader(bytes)
            while try reader.step() {
                let table = try reader.table()
                try check(table)
                tables[TableName(table.name)] = table
            }
            try Self.check(bytes.withSQLiteBytes { sqlite3rebaser_configure(rebaser, $0, $1) })
        }
    }

    deinit { sqlite3rebaser_delete(rebaser) }

    /// Checks that a table has the columns of the resolutions. If not, SQLite would read past the end of a change.
    func check(_ table: RecordedTable) throws {
        if table === checkedTable { return }
        if let known = tables[TableName(table.name)], known.isPrimaryKey != table.isPrimaryKey {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: "the table \(table.name) has other columns, or another primary key, than in the resolutions")
        }
        checkedTable = table
    }

    func rebase(_ count: CInt, _ bytes: UnsafeMutableRawPointer?) throws -> ChangesetBytes {
        try ChangesetBytes { resultCount, result in
            try Self.check(amalgam_rebase(rebaser, count, bytes, resultCount, result))
        }
    }

    private static func check(_ code: CInt) throws {
        if code != SQLITE_OK { throw ChangeReader.failure(code) }
    }
}
