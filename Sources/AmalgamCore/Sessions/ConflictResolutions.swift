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
        let container = try decoder.singleValueContainer()
        let data = try container.decode(Data.self)
        do {
            try self.init(data: data)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
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
        try checkCompatibility(resolutions)
        var rebaser: OpaquePointer?
        try Self.check(sqlite3rebaser_create(&rebaser))
        defer { sqlite3rebaser_delete(rebaser) }
        for resolutions in resolutions {
            try Self.check(resolutions.bytes.withSQLiteBytes { sqlite3rebaser_configure(rebaser, $0, $1) })
        }
        return try Changeset(
            bytes: ChangesetBytes { count, result in
                try Self.check(bytes.withSQLiteBytes { sqlite3rebaser_rebase(rebaser, $0, $1, count, result) })
            })
    }

    /// SQLite reads beyond the end of a record when the tables have another number of columns.
    private func checkCompatibility(_ resolutions: [ConflictResolutions]) throws {
        var tables: [String: RecordedTable] = [:]
        for bytes in resolutions.map(\.bytes) + [bytes] {
            let reader = try ChangeReader(bytes)
            while let table = try reader.next()?.table {
                let known = tables.updateValue(table, forKey: table.name.lowercased()) ?? table
                if known.isPrimaryKey == table.isPrimaryKey { continue }
                throw DatabaseError(
                    resultCode: .SQLITE_SCHEMA,
                    message: "the table \(table.name) has other columns, or another primary key, than in the resolutions")
            }
        }
    }

    private static func check(_ code: CInt) throws {
        if code != SQLITE_OK { throw ChangeReader.failure(code) }
    }
}
