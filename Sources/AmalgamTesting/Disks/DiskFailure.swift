public import AmalgamEngine
import CAmalgamTesting

/// A kind of failure of a disk: the operations that fail, and how.
///
/// ```swift
/// let failure = DiskFailure(.sync, of: .wal)
/// ```
public struct DiskFailure: Hashable, Sendable {
    /// The operations on files: the methods of a VFS, <https://sqlite.org/c3ref/io_methods.html>.
    public struct Operations: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        private init(_ operations: Int...) {
            rawValue = operations.reduce(0) { $0 | UInt32($1) }
        }

        /// Opening a file. The error is `SQLITE_CANTOPEN`.
        public static let open = Operations(AMALGAM_FILE_OPEN)
        /// Reading from a file or its mapped memory. The error is `SQLITE_IOERR_READ` or `SQLITE_IOERR_MMAP`.
        public static let read = Operations(AMALGAM_FILE_READ, AMALGAM_FILE_FETCH)
        /// Writing to a file. The error is `SQLITE_IOERR_WRITE`.
        public static let write = Operations(AMALGAM_FILE_WRITE)
        /// Syncing a file. The error is `SQLITE_IOERR_FSYNC`.
        public static let sync = Operations(AMALGAM_FILE_SYNC)
        /// Shortening a file. The error is `SQLITE_IOERR_TRUNCATE`.
        public static let truncate = Operations(AMALGAM_FILE_TRUNCATE)
        /// Deleting a file. The error is `SQLITE_IOERR_DELETE`.
        public static let delete = Operations(AMALGAM_FILE_DELETE)
        /// Locking a file, or a part of a WAL index. The error is `SQLITE_IOERR_LOCK`, `SQLITE_IOERR_SHMLOCK` or
        /// `SQLITE_IOERR_CHECKRESERVEDLOCK`. An unlock doesn't fail.
        public static let lock = Operations(AMALGAM_FILE_LOCK, AMALGAM_FILE_SHM_LOCK)
        /// Mapping the memory of a WAL index. The error is `SQLITE_IOERR_SHMMAP`.
        public static let sharedMemory = Operations(AMALGAM_FILE_SHM_MAP)
        /// Looking for a file, its size or its path. The error is `SQLITE_IOERR_ACCESS`, `SQLITE_IOERR_FSTAT` or
        /// `SQLITE_CANTOPEN_FULLPATH`.
        public static let metadata = Operations(AMALGAM_FILE_ACCESS, AMALGAM_FILE_SIZE, AMALGAM_FILE_PATH)
        /// All operations.
        public static let all: Operations = [
            .open, .read, .write, .sync, .truncate, .delete, .lock, .sharedMemory, .metadata,
        ]
    }

    /// The kinds of files.
    public struct Files: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Database files.
        public static let database = Files(rawValue: UInt32(AMALGAM_FILE_IS_DATABASE))
        /// Rollback journals.
        public static let journal = Files(rawValue: UInt32(AMALGAM_FILE_IS_JOURNAL))
        /// WAL files.
        public static let wal = Files(rawValue: UInt32(AMALGAM_FILE_IS_WAL))
        /// Files of temporary tables, of sorters and of statement journals.
        public static let temporary = Files(rawValue: UInt32(AMALGAM_FILE_IS_TEMPORARY))
        /// All files.
        public static let all: Files = [.database, .journal, .wal, .temporary]
    }

    /// The operations that fail.
    public var operations: Operations

    /// The files on which they fail.
    public var files: Files

    /// The result code of a failure. Nil is the usual one of each operation.
    public var code: ResultCode?

    /// Whether a failing write leaves half of its bytes in the file, and a failing read returns half of its bytes.
    public var isTorn: Bool

    /// Whether all operations fail after the first failure, too.
    public var persists: Bool

    /// Creates a kind of failure.
    ///
    /// ```swift
    /// let failure = DiskFailure([.write, .sync], of: [.journal, .wal], persists: true)
    /// ```
    ///
    /// - Parameters:
    ///   - operations: The operations that fail.
    ///   - files: The files on which they fail.
    ///   - code: The result code of a failure. Nil is the usual one of each operation.
    ///   - isTorn: Whether a failing write leaves half of its bytes in the file, and a failing read returns half of its
    ///     bytes.
    ///   - persists: Whether all operations fail after the first failure, too.
    public init(
        _ operations: Operations, of files: Files = .all, code: ResultCode? = nil, isTorn: Bool = false,
        persists: Bool = false
    ) {
        self.operations = operations
        self.files = files
        self.code = code
        self.isTorn = isTorn
        self.persists = persists
    }

    /// Any operation fails once, with its usual code.
    public static let io = DiskFailure(.all)

    /// A write fails as on a full disk: `SQLITE_FULL`. See also ``FailingDisk/freeBytes``.
    public static let full = DiskFailure(.write, code: .SQLITE_FULL)

    /// A write fails after half of its bytes.
    public static let tornWrite = DiskFailure(.write, isTorn: true)

    /// A read fails after half of its bytes.
    public static let tornRead = DiskFailure(.read, isTorn: true)

    /// A lock is held by another process: `SQLITE_BUSY`.
    public static let busy = DiskFailure(.lock, code: .SQLITE_BUSY)

    /// The same failure, which persists: all further operations fail, too.
    public var persisting: DiskFailure {
        var failure = self
        failure.persists = true
        return failure
    }
}
