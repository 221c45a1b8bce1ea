import AmalgamCore
import CAmalgam
public import Foundation

/// How the conflicts of an applied changeset were resolved: what changesets recorded meanwhile are rebased with.
///
/// SQLite calls it the rebase buffer: <https://sqlite.org/session/rebaser.html>. It comes from
/// ``ChangesetApplication/resolutions``, and can be stored.
public struct ConflictResolutions: Hashable, Sendable, Codable {
    let bytes: ChangesetBytes

    init(bytes: ChangesetBytes) {
        self.bytes = bytes
    }

    /// Takes bytes that were stored, and checks them.
    ///
    /// - throws: `SQLITE_CORRUPT` for other bytes.
    public init(data: Data) throws {
        bytes = try data.withUnsafeBytes(ChangesetBytes.init(copying:))
        try ChangeReader(bytes).check(isPatchset: false)
    }

    /// The bytes, which are not copied.
    public var data: Data { bytes.data }

    /// Whether there was no conflict.
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
    /// The changeset as it would have been recorded after the changes of others had been applied: the decisions taken
    /// about their conflicts are taken into account, so that the same conflicts need not be resolved elsewhere.
    ///
    /// ```swift
    /// // `local` was recorded here, `remote` elsewhere, from the same state.
    /// let application = try db.apply(remote) { conflict in conflict.replaceOrOmit }
    /// let rebased = try local.rebased(on: application.resolutions)
    /// // Elsewhere, `rebased` applies without a conflict.
    /// ```
    ///
    /// Where both had inserted a row, and the conflict was omitted, the insertion becomes an update; where it was
    /// replaced, the insertion is dropped. <https://sqlite.org/session/rebaser.html> has all cases.
    ///
    /// - throws: `SQLITE_SCHEMA` when a table has other columns, or another primary key, than in the resolutions.
    public func rebased(on resolutions: ConflictResolutions) throws -> Changeset {
        try rebased(on: [resolutions])
    }

    /// The changeset, rebased on the changes of others that were applied one after the other.
    ///
    /// - Parameter resolutions: in the order in which the changesets were applied.
    /// - throws: `SQLITE_SCHEMA` when a table has other columns, or another primary key, than in the resolutions.
    public func rebased(on resolutions: [ConflictResolutions]) throws -> Changeset {
        let rebaser = try Rebaser(resolutions)
        let reader = try ChangeReader(bytes)
        while try reader.step() { try rebaser.check(reader.table()) }
        return try Changeset(bytes: bytes.withSQLiteBytes(rebaser.rebase))
    }

    /// Writes the changes of an input, rebased as ``rebased(on:)-(ConflictResolutions)`` does, chunk by chunk.
    ///
    /// ```swift
    /// try Changeset.writeRebased(.file(url), on: [application.resolutions], to: .file(rebasedURL))
    /// ```
    ///
    /// - throws: the error of the input or the output; `SQLITE_CORRUPT` for an input that is no changeset;
    ///   `SQLITE_SCHEMA` when a table has other columns, or another primary key, than in the resolutions.
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

/// SQLite's rebaser, and the tables that it knows.
private final class Rebaser {
    private var rebaser: OpaquePointer?
    private var tables: [String: RecordedTable] = [:]
    private var checkedTable: RecordedTable?

    init(_ resolutions: [ConflictResolutions]) throws {
        try Self.check(sqlite3rebaser_create(&rebaser))
        for bytes in resolutions.map(\.bytes) {
            let reader = try ChangeReader(bytes)
            while try reader.step() {
                let table = try reader.table()
                try check(table)
                tables[table.name.lowercased()] = table
            }
            try Self.check(bytes.withSQLiteBytes { sqlite3rebaser_configure(rebaser, $0, $1) })
        }
    }

    deinit { sqlite3rebaser_delete(rebaser) }

    /// SQLite reads beyond the end of a change whose table has another number of columns than in the resolutions.
    func check(_ table: RecordedTable) throws {
        if table === checkedTable { return }
        if let known = tables[table.name.lowercased()], known.isPrimaryKey != table.isPrimaryKey {
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
