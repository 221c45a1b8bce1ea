package import AmalgamCore
internal import CAmalgam

/// The identity of one snapshot of a WAL mode database: the state after one commit.
///
/// ```swift
/// let before = try dbPool.currentVersion()
/// try dbPool.write { db in try db.execute(sql: "DELETE FROM player") }
/// let after = try dbPool.currentVersion()
///
/// after.order(relativeTo: before)                        // .newer
/// try dbPool.read(at: before) { db in                    // reads the deleted players
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// A version is a value of 56 bytes, and doesn't pin the snapshot: SQLite may overwrite the snapshot when no open
/// transaction needs it. An open ``DatabaseSnapshotPool`` pins the snapshot of its version, so reads at this version
/// succeed. An open ``DatabaseSnapshot`` does the same, unless the WAL file was empty when the snapshot was made.
///
/// A version contains the record of an SQLite snapshot: <https://sqlite.org/c3ref/snapshot.html>.
public struct SnapshotVersion: Sendable {
    /// The order of two versions in time.
    ///
    /// ```swift
    /// let version = try dbPool.currentVersion()
    /// let mustRefresh = try dbPool.currentVersion().order(relativeTo: version) != .same
    /// ```
    public enum Order: Sendable {
        /// The other version contains commits that this one doesn't.
        case older
        /// The versions contain the same commits, and have the same content.
        case same
        /// This version contains commits that the other one doesn't.
        case newer
    }

    /// The 48 bytes of a `sqlite3_snapshot`.
    private var record: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
    private let file: UInt64

    /// Takes the version that a connection sees. Nil if the database isn't in WAL mode.
    init?(_ db: Database) throws {
        file = amalgam_version_file(db.sqliteConnection)
        let code = amalgam_version_take(db.sqliteConnection, &record)
        switch code {
        case SQLITE_OK: break
        case SQLITE_NOTFOUND: return nil
        case SQLITE_MISUSE: throw Self.unknownInWriteTransaction
        default: throw db.cancellation(code) ?? db.error(code)
        }
    }

    /// Takes the version that a connection has just committed. Nil if it can't be determined without a read.
    init?(ofCommitBy db: Database) {
        file = amalgam_version_file(db.sqliteConnection)
        guard amalgam_version_of_commit(db.sqliteConnection, &record) == SQLITE_OK else { return nil }
    }

    /// Compares two versions. The result is nil if their order can't be determined.
    ///
    /// ```swift
    /// let before = try dbPool.currentVersion()
    /// // later:
    /// let after = try dbPool.currentVersion()
    /// if after.order(relativeTo: before) != .same { print("The content may have changed.") }
    /// ```
    ///
    /// If the result is `.same`, both versions contain the same commits. Checkpoints don't change the content, so
    /// versions before and after a checkpoint are the same, even if the checkpoint empties the WAL file.
    ///
    /// The order can't be determined in these cases:
    ///
    /// - the versions belong to different files;
    /// - all connections were closed between the two versions, so that SQLite has deleted the WAL file;
    /// - one connection has emptied the WAL file with a `.restart` or `.truncate` checkpoint, and the next write came
    ///   from a different connection, which had never emptied the file. In a pool, one connection runs all checkpoints
    ///   and writes;
    /// - one version was taken when the WAL file was missing or empty, and no commit was made since the first
    ///   connection was opened. A ``DatabasePool`` that can write makes a commit when it opens such a database.
    ///
    /// The comparison takes some nanoseconds. It doesn't use `sqlite3_snapshot_cmp`, whose result is undefined in the
    /// cases above (<https://sqlite.org/c3ref/snapshot_cmp.html>), and wrong whenever a byte of a counter in the WAL
    /// header overflows.
    public func order(relativeTo other: SnapshotVersion) -> Order? {
        guard file == other.file else { return nil }
        let order = withUnsafePointer(to: record) { left in
            withUnsafePointer(to: other.record) { right in amalgam_version_order(left, right) }
        }
        switch order {
        case -1: return .older
        case 0: return .same
        case 1: return .newer
        default: return nil
        }
    }

    /// Whether the version identifies a commit. Otherwise, the version can't be compared or opened.
    package var isKnown: Bool { withUnsafePointer(to: record) { amalgam_version_is_known($0) != 0 } }

    /// The number of WAL frames that the version needs. 0 if the database file contains the whole snapshot.
    package var frameCount: Int { withUnsafePointer(to: record) { Int(amalgam_version_frame_count($0)) } }

    /// The way in which a version is opened.
    package enum Opening {
        /// Until the transaction ends, SQLite preserves the snapshot, and other connections can open its version.
        case held
        /// Only this transaction can use the snapshot. Its locks are weaker than those of `held`.
        case read
        /// The database file contains the whole snapshot, and another transaction preserves it.
        case inFile
    }

    /// Opens this version in the transaction of a connection that hasn't read yet.
    func open(_ db: Database, _ opening: Opening) throws {
        guard file == amalgam_version_file(db.sqliteConnection) else { throw Self.otherFile }
        let code = withUnsafePointer(to: record) {
            amalgam_version_open(db.sqliteConnection, $0, opening.mode)
        }
        if ResultCode(rawValue: code) == .SQLITE_ERROR_SNAPSHOT && opening != .inFile && PinnedSnapshot.isPinned(self) {
            try open(db, .inFile)
            // Now this transaction prevents SQLite from overwriting the snapshot. But if the transaction that pinned
            // the snapshot ended before this one began, the snapshot may be overwritten already.
            if !PinnedSnapshot.isPinned(self) { throw Self.isLost }
            return
        }
        try check(code, db)
    }

    /// Moves the read transaction of a connection to this version.
    func advance(_ db: Database) throws {
        guard file == amalgam_version_file(db.sqliteConnection) else { throw Self.otherFile }
        try check(withUnsafePointer(to: record) { amalgam_version_advance(db.sqliteConnection, $0) }, db)
    }

    private func check(_ code: CInt, _ db: Database) throws {
        switch ResultCode(rawValue: code) {
        case .SQLITE_OK: return
        case .SQLITE_ERROR_SNAPSHOT: throw Self.isLost
        case .SQLITE_NOTFOUND: throw Self.needsWAL(db)
        default: throw db.cancellation(code) ?? db.error(code)
        }
    }
}

extension SnapshotVersion.Opening {
    fileprivate var mode: CInt {
        switch self {
        case .held: CInt(AMALGAM_VERSION_HELD)
        case .read: CInt(AMALGAM_VERSION_READ)
        case .inFile: CInt(AMALGAM_VERSION_IN_FILE)
        }
    }
}

extension SnapshotVersion: CustomStringConvertible {
    /// The numbers of the commit and of its last WAL frame, for logs.
    public var description: String {
        guard isKnown else { return "unknown version" }
        let commits = withUnsafePointer(to: record) { amalgam_version_commit_count($0) }
        return "commit \(commits), frame \(frameCount)"
    }
}

extension SnapshotVersion {
    package static var needsWAL: DatabaseError {
        DatabaseError(
            message: "The database is not in WAL mode: only then are there versions, and snapshots to read at.")
    }

    /// The error of a connection that isn't in WAL mode.
    static func needsWAL(_ db: Database) -> DatabaseError {
        db.attachment(SnapshotRefusal.key).map { DatabaseError(message: $0.reason) } ?? needsWAL
    }

    package static var needsCommit: DatabaseError {
        DatabaseError(
            message: "The WAL file is missing or empty: there is no version to hold. Write to the database first.")
    }

    private static var unknownInWriteTransaction: DatabaseError {
        DatabaseError(
            message: """
                A transaction that writes is of no version yet. Take the version before it writes, or after it is \
                committed.
                """)
    }

    private static var otherFile: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "The version is that of another database file.")
    }

    private static var isLost: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ERROR_SNAPSHOT,
            message: "Snapshot is lost. A checkpoint has overwritten it: take another one.")
    }
}

/// The reason for which a connection isn't in WAL mode, and has no snapshots.
package final class SnapshotRefusal: DatabaseAttachment {
    package static let key = AttachmentKey<SnapshotRefusal>()
    let reason: String

    package init(reason: String) { self.reason = reason }
}
