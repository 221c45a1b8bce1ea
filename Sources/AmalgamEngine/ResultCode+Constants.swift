/// The result codes of SQLite, under the names of its C interface: <https://sqlite.org/rescode.html>.
extension ResultCode {
    /// Successful result.
    public static let SQLITE_OK = ResultCode(rawValue: 0)

    /// Extended code of ``SQLITE_OK``.
    public static let SQLITE_OK_LOAD_PERMANENTLY = ResultCode(rawValue: 256)

    /// Extended code of ``SQLITE_OK``.
    public static let SQLITE_OK_SYMLINK = ResultCode(rawValue: 512)

    /// Generic error.
    public static let SQLITE_ERROR = ResultCode(rawValue: 1)

    /// Extended code of ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_MISSING_COLLSEQ = ResultCode(rawValue: 257)

    /// Extended code of ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_RETRY = ResultCode(rawValue: 513)

    /// Extended code of ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_SNAPSHOT = ResultCode(rawValue: 769)

    /// Extended code of ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_RESERVESIZE = ResultCode(rawValue: 1025)

    /// Extended code of ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_KEY = ResultCode(rawValue: 1281)

    /// Extended code of ``SQLITE_ERROR``.
    public static let SQLITE_ERROR_UNABLE = ResultCode(rawValue: 1537)

    /// Internal logic error in SQLite.
    public static let SQLITE_INTERNAL = ResultCode(rawValue: 2)

    /// Access permission denied.
    public static let SQLITE_PERM = ResultCode(rawValue: 3)

    /// Callback routine requested an abort.
    public static let SQLITE_ABORT = ResultCode(rawValue: 4)

    /// Extended code of ``SQLITE_ABORT``.
    public static let SQLITE_ABORT_ROLLBACK = ResultCode(rawValue: 516)

    /// The database file is locked.
    public static let SQLITE_BUSY = ResultCode(rawValue: 5)

    /// Extended code of ``SQLITE_BUSY``.
    public static let SQLITE_BUSY_RECOVERY = ResultCode(rawValue: 261)

    /// Extended code of ``SQLITE_BUSY``.
    public static let SQLITE_BUSY_SNAPSHOT = ResultCode(rawValue: 517)

    /// Extended code of ``SQLITE_BUSY``.
    public static let SQLITE_BUSY_TIMEOUT = ResultCode(rawValue: 773)

    /// A table in the database is locked.
    public static let SQLITE_LOCKED = ResultCode(rawValue: 6)

    /// Extended code of ``SQLITE_LOCKED``.
    public static let SQLITE_LOCKED_SHAREDCACHE = ResultCode(rawValue: 262)

    /// Extended code of ``SQLITE_LOCKED``.
    public static let SQLITE_LOCKED_VTAB = ResultCode(rawValue: 518)

    /// A malloc() failed.
    public static let SQLITE_NOMEM = ResultCode(rawValue: 7)

    /// Attempt to write a readonly database.
    public static let SQLITE_READONLY = ResultCode(rawValue: 8)

    /// Extended code of ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_RECOVERY = ResultCode(rawValue: 264)

    /// Extended code of ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_CANTLOCK = ResultCode(rawValue: 520)

    /// Extended code of ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_ROLLBACK = ResultCode(rawValue: 776)

    /// Extended code of ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_DBMOVED = ResultCode(rawValue: 1032)

    /// Extended code of ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_CANTINIT = ResultCode(rawValue: 1288)

    /// Extended code of ``SQLITE_READONLY``.
    public static let SQLITE_READONLY_DIRECTORY = ResultCode(rawValue: 1544)

    /// Operation terminated by sqlite3_interrupt().
    public static let SQLITE_INTERRUPT = ResultCode(rawValue: 9)

    /// Some kind of disk I/O error occurred.
    public static let SQLITE_IOERR = ResultCode(rawValue: 10)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_READ = ResultCode(rawValue: 266)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHORT_READ = ResultCode(rawValue: 522)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_WRITE = ResultCode(rawValue: 778)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_FSYNC = ResultCode(rawValue: 1034)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DIR_FSYNC = ResultCode(rawValue: 1290)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_TRUNCATE = ResultCode(rawValue: 1546)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_FSTAT = ResultCode(rawValue: 1802)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_UNLOCK = ResultCode(rawValue: 2058)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_RDLOCK = ResultCode(rawValue: 2314)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DELETE = ResultCode(rawValue: 2570)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_BLOCKED = ResultCode(rawValue: 2826)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_NOMEM = ResultCode(rawValue: 3082)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_ACCESS = ResultCode(rawValue: 3338)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CHECKRESERVEDLOCK = ResultCode(rawValue: 3594)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_LOCK = ResultCode(rawValue: 3850)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CLOSE = ResultCode(rawValue: 4106)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DIR_CLOSE = ResultCode(rawValue: 4362)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHMOPEN = ResultCode(rawValue: 4618)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHMSIZE = ResultCode(rawValue: 4874)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHMLOCK = ResultCode(rawValue: 5130)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SHMMAP = ResultCode(rawValue: 5386)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_SEEK = ResultCode(rawValue: 5642)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DELETE_NOENT = ResultCode(rawValue: 5898)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_MMAP = ResultCode(rawValue: 6154)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_GETTEMPPATH = ResultCode(rawValue: 6410)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CONVPATH = ResultCode(rawValue: 6666)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_VNODE = ResultCode(rawValue: 6922)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_AUTH = ResultCode(rawValue: 7178)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_BEGIN_ATOMIC = ResultCode(rawValue: 7434)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_COMMIT_ATOMIC = ResultCode(rawValue: 7690)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_ROLLBACK_ATOMIC = ResultCode(rawValue: 7946)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_DATA = ResultCode(rawValue: 8202)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CORRUPTFS = ResultCode(rawValue: 8458)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_IN_PAGE = ResultCode(rawValue: 8714)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_BADKEY = ResultCode(rawValue: 8970)

    /// Extended code of ``SQLITE_IOERR``.
    public static let SQLITE_IOERR_CODEC = ResultCode(rawValue: 9226)

    /// The database disk image is malformed.
    public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)

    /// Extended code of ``SQLITE_CORRUPT``.
    public static let SQLITE_CORRUPT_VTAB = ResultCode(rawValue: 267)

    /// Extended code of ``SQLITE_CORRUPT``.
    public static let SQLITE_CORRUPT_SEQUENCE = ResultCode(rawValue: 523)

    /// Extended code of ``SQLITE_CORRUPT``.
    public static let SQLITE_CORRUPT_INDEX = ResultCode(rawValue: 779)

    /// Unknown opcode in sqlite3_file_control().
    public static let SQLITE_NOTFOUND = ResultCode(rawValue: 12)

    /// Insertion failed because database is full.
    public static let SQLITE_FULL = ResultCode(rawValue: 13)

    /// Unable to open the database file.
    public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)

    /// Extended code of ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_NOTEMPDIR = ResultCode(rawValue: 270)

    /// Extended code of ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_ISDIR = ResultCode(rawValue: 526)

    /// Extended code of ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_FULLPATH = ResultCode(rawValue: 782)

    /// Extended code of ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_CONVPATH = ResultCode(rawValue: 1038)

    /// Extended code of ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_DIRTYWAL = ResultCode(rawValue: 1294)

    /// Extended code of ``SQLITE_CANTOPEN``.
    public static let SQLITE_CANTOPEN_SYMLINK = ResultCode(rawValue: 1550)

    /// Database lock protocol error.
    public static let SQLITE_PROTOCOL = ResultCode(rawValue: 15)

    /// Internal use only.
    public static let SQLITE_EMPTY = ResultCode(rawValue: 16)

    /// The database schema changed.
    public static let SQLITE_SCHEMA = ResultCode(rawValue: 17)

    /// String or BLOB exceeds size limit.
    public static let SQLITE_TOOBIG = ResultCode(rawValue: 18)

    /// Abort due to constraint violation.
    public static let SQLITE_CONSTRAINT = ResultCode(rawValue: 19)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_CHECK = ResultCode(rawValue: 275)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_COMMITHOOK = ResultCode(rawValue: 531)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_FOREIGNKEY = ResultCode(rawValue: 787)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_FUNCTION = ResultCode(rawValue: 1043)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_NOTNULL = ResultCode(rawValue: 1299)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(rawValue: 1555)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_TRIGGER = ResultCode(rawValue: 1811)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(rawValue: 2067)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_VTAB = ResultCode(rawValue: 2323)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_ROWID = ResultCode(rawValue: 2579)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_PINNED = ResultCode(rawValue: 2835)

    /// Extended code of ``SQLITE_CONSTRAINT``.
    public static let SQLITE_CONSTRAINT_DATATYPE = ResultCode(rawValue: 3091)

    /// Data type mismatch.
    public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)

    /// Library used incorrectly.
    public static let SQLITE_MISUSE = ResultCode(rawValue: 21)

    /// Uses OS features not supported on host.
    public static let SQLITE_NOLFS = ResultCode(rawValue: 22)

    /// Authorization denied.
    public static let SQLITE_AUTH = ResultCode(rawValue: 23)

    /// Extended code of ``SQLITE_AUTH``.
    public static let SQLITE_AUTH_USER = ResultCode(rawValue: 279)

    /// Not used.
    public static let SQLITE_FORMAT = ResultCode(rawValue: 24)

    /// 2nd parameter to sqlite3_bind out of range.
    public static let SQLITE_RANGE = ResultCode(rawValue: 25)

    /// File opened that is not a database file.
    public static let SQLITE_NOTADB = ResultCode(rawValue: 26)

    /// Notifications from sqlite3_log().
    public static let SQLITE_NOTICE = ResultCode(rawValue: 27)

    /// Extended code of ``SQLITE_NOTICE``.
    public static let SQLITE_NOTICE_RECOVER_WAL = ResultCode(rawValue: 283)

    /// Extended code of ``SQLITE_NOTICE``.
    public static let SQLITE_NOTICE_RECOVER_ROLLBACK = ResultCode(rawValue: 539)

    /// Extended code of ``SQLITE_NOTICE``.
    public static let SQLITE_NOTICE_RBU = ResultCode(rawValue: 795)

    /// Warnings from sqlite3_log().
    public static let SQLITE_WARNING = ResultCode(rawValue: 28)

    /// Extended code of ``SQLITE_WARNING``.
    public static let SQLITE_WARNING_AUTOINDEX = ResultCode(rawValue: 284)

    /// `sqlite3_step()` has another row ready.
    public static let SQLITE_ROW = ResultCode(rawValue: 100)

    /// `sqlite3_step()` has finished executing.
    public static let SQLITE_DONE = ResultCode(rawValue: 101)
}
