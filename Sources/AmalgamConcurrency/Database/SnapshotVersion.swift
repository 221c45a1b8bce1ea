package import AmalgamCore
internal import CAmalgam

/// A moment of a database in WAL mode: the state that one commit has left.
///
/// ```swift
/// let before = try dbPool.currentVersion()
/// try dbPool.write { db in try db.execute(sql: "DELETE FROM player") }
/// let after = try dbPool.currentVersion()
///
/// after.order(relativeTo: before)                        // .newer
/// try dbPool.read(at: before) { db in                    // the players are still there
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
/// }
/// ```
///
/// A version is a value of 56 bytes, and holds nothing: SQLite may overwrite the state it stands for as soon as no
/// transaction sees it any more. A ``DatabaseSnapshotPool`` keeps its version, and reads at that version succeed as long
/// as it is open. So does a ``DatabaseSnapshot``, unless the WAL file was empty when it was made.
///
/// It rests on the records of <https://sqlite.org/c3ref/snapshot.html>.
public struct SnapshotVersion: Sendable {
    /// How a version relates to another one in time.
    public enum Order: Sendable {
        /// The other version has commits that this one does not have.
        case older
        /// No commit is between the two: they have the same content.
        case same
        /// This version has commits that the other one does not have.
        case newer
    }

    /// 48 bytes: what a `sqlite3_snapshot` holds.
    private var record: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
    private let file: UInt64

    /// The version that a connection sees; nil when the database is not in WAL mode.
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

    /// The version that a connection has just committed; nil when it is not known without reading.
    init?(ofCommitBy db: Database) {
        file = amalgam_version_file(db.sqliteConnection)
        guard amalgam_version_of_commit(db.sqliteConnection, &record) == SQLITE_OK else { return nil }
    }

    /// Whether the version is older than another one, the same, or newer; nil when they cannot be compared.
    ///
    /// ```swift
    /// if version.order(relativeTo: other) != .same { /* the content may differ */ }
    /// ```
    ///
    /// `.same` is exact: also after checkpoints, which change no content, even when they empty the WAL file.
    ///
    /// Nil means that SQLite keeps nothing that would tell:
    ///
    /// - the versions are those of different files;
    /// - all connections were closed in between, so that SQLite has removed the WAL file;
    /// - the WAL file was emptied by one connection, by a `.restart` or `.truncate` checkpoint, and written to by another
    ///   one next, which had never emptied it. In a pool, checkpoints and writes are made by the same one;
    /// - one of them was taken when the WAL file was missing or empty, and no commit was made to it since the first
    ///   connection of all was opened. A ``DatabasePool`` makes sure of a commit when it opens a file, unless it is
    ///   read-only.
    ///
    /// It takes some nanoseconds. `sqlite3_snapshot_cmp` is not used: its order is wrong each time that a byte of
    /// the WAL header overflows, and undefined in the cases above (<https://sqlite.org/c3ref/snapshot_cmp.html>).
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

    /// Whether the version knows its commit: without one, nothing tells it from others, and it cannot be opened.
    package var isKnown: Bool { withUnsafePointer(to: record) { amalgam_version_is_known($0) != 0 } }

    /// How many frames of the WAL file the version is made of: none when all of it is in the database file.
    package var frameCount: Int { withUnsafePointer(to: record) { Int(amalgam_version_frame_count($0)) } }

    /// How a version is opened.
    package enum Opening {
        /// So that SQLite does not overwrite it before the transaction ends: others can open it as well.
        case held
        /// For this transaction only, with fewer locks. Others may find it lost meanwhile.
        case read
        /// All of it is in the database file, and somebody keeps it there meanwhile.
        case inFile
    }

    /// Makes the transaction of a connection, which has read nothing yet, see this version.
    func open(_ db: Database, _ opening: Opening) throws {
        guard file == amalgam_version_file(db.sqliteConnection) else { throw Self.otherFile }
        let code = withUnsafePointer(to: record) {
            amalgam_version_open(db.sqliteConnection, $0, opening.mode)
        }
        if ResultCode(rawValue: code) == .SQLITE_ERROR_SNAPSHOT && opening != .inFile && PinnedSnapshot.isPinned(self) {
            try open(db, .inFile)
            // From here on, this transaction keeps the version as well. Who kept it may have ended before.
            if !PinnedSnapshot.isPinned(self) { throw Self.isLost }
            return
        }
        try check(code, db)
    }

    /// Makes the transaction of a connection, which reads, see this version instead of its own.
    func advance(_ db: Database) throws {
        guard file == amalgam_version_file(db.sqliteConnection) else { throw Self.otherFile }
        try check(withUnsafePointer(to: record) { amalgam_version_advance(db.sqliteConnection, $0) }, db)
    }

    private func check(_ code: CInt, _ db: Database) throws {
        switch ResultCode(rawValue: code) {
        case .SQLITE_OK: return
        case .SQLITE_ERROR_SNAPSHOT: throw Self.isLost
        case .SQLITE_NOTFOUND: throw Self.needsWAL
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
    /// Where the commit is in the WAL file: for logs.
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
