public import Dispatch
public import Foundation

/// The settings of connections: how they are opened, and how they behave.
///
/// ```swift
/// var config = Configuration()
/// config.busyMode = .timeout(5)
/// config.prepareDatabase { db in
///     try db.execute(sql: "PRAGMA cache_size = -8000")
/// }
/// let dbQueue = try DatabaseQueue(path: "/path/to/db.sqlite", configuration: config)
/// ```
public struct Configuration: Sendable {
    /// The journal mode of a database file. Pools always use WAL mode, unless they are read-only.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.journalMode = .wal   // a queue executes PRAGMA journal_mode = WAL
    /// ```
    public enum JournalModeConfiguration: Sendable {
        /// A queue doesn't change the mode of the file; a pool sets WAL mode.
        case `default`
        /// WAL mode: <https://sqlite.org/wal.html>.
        case wal
    }

    // MARK: Connections

    /// Whether foreign keys are enforced: <https://sqlite.org/foreignkeys.html>. True by default.
    public var foreignKeysEnabled = true

    /// Whether connections are read-only. A read-only connection doesn't create a missing file. False by default.
    public var readonly = false

    /// The name of the connections. It appears in their descriptions and in the labels of their dispatch queues.
    public var label: String?

    /// The name of the VFS through which connections access files: <https://sqlite.org/vfs.html>. With nil, the default,
    /// it is SQLite's default VFS.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.vfsName = "unix-excl"   // one process at a time opens the file
    /// ```
    ///
    /// Attached databases and temporary files are accessed through the same VFS. An application registers its own VFSs
    /// with `sqlite3_vfs_register`, before it opens a connection. Opening a connection throws `SQLITE_ERROR` if no VFS has
    /// the name.
    public var vfsName: String?

    /// Whether `"foo"` is a string literal if there is no column foo: <https://sqlite.org/quirks.html#dblquote>. False
    /// by default.
    public var acceptsDoubleQuotedStringLiterals = false

    /// Whether SQL is prevented from deliberately corrupting the file: see ``Database/Option/defensive``. False by
    /// default.
    public var isDefensive = false

    /// Whether views, triggers and other parts of the schema may call any function: see
    /// ``Database/Option/trustedSchema``. True by default. Set it to false, or call ``harden()``, for files from
    /// untrusted sources.
    public var trustsSchema = true

    /// Whether ``Database/loadExtension(at:entryPoint:)`` is allowed. False by default. The SQL function
    /// `load_extension()` is always forbidden.
    public var allowsLoadingExtensions = false

    /// The journal mode. Ignored when `readonly` is true.
    public var journalMode = JournalModeConfiguration.default

    /// The condition for a passive checkpoint after a commit. With nil, the default, a connection runs a checkpoint
    /// after a commit that leaves 1000 frames or more in the WAL file, as SQLite does by default.
    public var automaticCheckpoint: Database.AutomaticCheckpoint?

    /// What a connection does when it needs a lock that another connection holds. `.immediateError` by default.
    public var busyMode = Database.BusyMode.immediateError

    /// The clock that provides the dates of transactions: see ``Database/transactionDate``.
    public var transactionClock: any TransactionClock = .default

    /// Schema information that SQLite doesn't have, such as the primary keys of views. Nil by default.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// Whether decoding fails for a value of another storage class than that of the Swift type. False by default:
    /// SQLite converts such values.
    ///
    /// Only the columns of [STRICT tables](https://sqlite.org/stricttables.html) always hold values of their declared
    /// type. Other columns may hold TEXT where a number is expected. By default, such a value is decoded as 0, or as
    /// the number that it begins with.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.strictDecoding = true
    /// let dbQueue = try DatabaseQueue(configuration: config)
    /// try dbQueue.read { db in
    ///     // Throws a RowDecodingError. By default, it returns [0].
    ///     try Int.fetchAll(db, sql: "SELECT 'abc'")
    /// }
    /// ```
    ///
    /// With this property, these values are decoded:
    ///
    /// | Swift type | storage classes |
    /// | --- | --- |
    /// | `Int` and other integers, `Bool` | INTEGER; REAL without a fraction, such as 2.0 |
    /// | `Double`, `Float`, `CGFloat` | REAL, INTEGER |
    /// | `String`, `NSString` | TEXT |
    /// | `Data`, `NSData` | BLOB; TEXT, as its UTF-8 bytes |
    /// | `Date`, `UUID`, `Decimal`, `URL`, `NSNumber` | those that the type documents |
    /// | ``DatabaseValue`` | all |
    ///
    /// For other values, fetching methods, `decode` methods of ``Row`` and decoding of records throw a
    /// ``RowDecodingError``, and subscripts of ``Row`` trap. The rows of cursors and copied rows have the same results.
    ///
    /// An enumeration is decoded as its raw value is. A ``DatabaseValueConvertible`` type of the application decides
    /// itself, and `fromDatabaseValue` of the types above returns nil for the value of a column that isn't in the table.
    /// See ``StatementColumnConvertible`` for types that read from statements. The arguments of functions in Swift are
    /// decoded independently of this property.
    ///
    /// For a value of the usual storage class, the cost is the same. For other values, a call of a C function is added.
    public var strictDecoding = false

    /// Whether a transaction may be left open at the end of a database access. False by default.
    public var allowsUnsafeTransactions = false

    /// Whether descriptions of errors and trace events include the arguments of statements. False by default, because
    /// arguments may be sensitive.
    public var publicStatementArguments = false

    /// Whether ``Database/suspendNotification`` suspends the database, and ``Database/resumeNotification`` resumes it.
    /// False by default.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.observesSuspensionNotifications = true
    /// ```
    ///
    /// A queue or pool observes these notifications while it is open. Snapshots (`DatabaseSnapshot` and
    /// `DatabaseSnapshotPool`) only read, and don't observe the notifications.
    public var observesSuspensionNotifications = false

    // MARK: Concurrency

    /// The maximum number of reader connections that a pool opens. 5 by default, and at least 1.
    ///
    /// A read that begins inside of a write also needs a reader. If all readers are in use, and one of their reads
    /// waits for this write, waiting for a reader would be a deadlock. In this case, the pool opens an additional
    /// reader for the inner read, and closes this reader afterwards.
    public var maximumReaderCount = 5

    /// The quality of service of asynchronous database accesses. Ignored if there is a target queue.
    public var qos = DispatchQoS.userInitiated

    /// The quality of service of asynchronous reads.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The quality of service of asynchronous writes.
    public var writeQoS: DispatchQoS { (writeTargetQueue ?? targetQueue)?.qos ?? qos }

    /// The dispatch queue on which database accesses run. For a pool, it must be concurrent.
    public var targetQueue: DispatchQueue?

    /// The dispatch queue on which writes run, instead of `targetQueue`.
    public var writeTargetQueue: DispatchQueue?

    /// Whether a pool keeps its reader connections open when it releases memory. False by default.
    public var persistentReadOnlyConnections = false

    /// Whether queues and pools release memory at the request of the system. True by default.
    ///
    /// On Apple systems, queues and pools release memory when the system reports memory pressure, and when the
    /// application enters the background. The release is asynchronous: see `DatabasePool.releaseMemoryEventually()`.
    /// On other systems, the property has no effect: call `releaseMemory()`.
    public var automaticMemoryManagement = true

    /// Counts the reads in progress in the pool. The pool's writer waits for them even with `.immediateError`.
    package var ownReads: ReadActivity?

    /// The connections of a recovery.
    package enum RecoveryRole: Sendable {
        /// The connection to a copy of the damaged file.
        case damagedFile
        /// The connection to the new file, which is empty at first.
        case newFile
    }

    /// The role of the connection in a recovery, if any: the closures of `prepareDatabase` run as on a read-only connection, the
    /// errors that come of a damaged, empty or read-only file are ignored, and the schema isn't read.
    package var recoveryRole: RecoveryRole?

    /// The settings of other modules, by their keys.
    private var settings: [ObjectIdentifier: any Sendable] = [:]

    /// The extensions that are linked into the process, and set up on each connection.
    package internal(set) var extensions: [RegisteredExtension] = []

    /// The closures of ``prepareDatabase(_:)``.
    package private(set) var preparations: [@Sendable (Database) throws -> Void] = []
    /// The closures of ``onConnectionWillClose(_:)``.
    package private(set) var closings: [@Sendable (SQLiteConnection) -> Void] = []

    /// Creates a configuration with the default value of each property.
    public init() {}

    /// The setting of another module, or nil if it isn't set.
    package subscript<Key: ConfigurationKey>(_ key: Key.Type) -> Key.Value? {
        get { settings[ObjectIdentifier(key)] as? Key.Value }
        set { settings[ObjectIdentifier(key)] = newValue }
    }

    /// Adds a closure that runs on each connection after it is opened, before its first use.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = NORMAL") }
    /// }
    /// ```
    ///
    /// A pool has one writer and several readers. `db.configuration.readonly` is true for the readers. The closures run
    /// in the order in which they were added. The error of a closure is rethrown by the initializer of the queue or
    /// pool, or by the read for which the pool opens a new reader.
    public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
        preparations.append(setup)
    }

    /// Adds a closure that receives each raw connection just before the connection is closed. The closure can look for
    /// statements that are still alive: <https://sqlite.org/c3ref/next_stmt.html>.
    ///
    /// ```swift
    /// import CAmalgam
    ///
    /// var config = Configuration()
    /// config.onConnectionWillClose { sqliteConnection in
    ///     assert(sqlite3_next_stmt(sqliteConnection, nil) == nil)
    /// }
    /// ```
    ///
    /// The closures run in the order in which they were added, after the connection has released its cached statements.
    public mutating func onConnectionWillClose(_ willClose: @escaping @Sendable (SQLiteConnection) -> Void) {
        closings.append(willClose)
    }
}

/// The key of a setting that another module adds to ``Configuration``.
package protocol ConfigurationKey {
    /// The type of the setting.
    associatedtype Value: Sendable
}

extension Database {
    /// A function that SQLite calls repeatedly while another connection holds a lock:
    /// <https://sqlite.org/c3ref/busy_handler.html>.
    ///
    /// - Parameter numberOfTries: The number of earlier calls for the same lock.
    /// - Returns: Whether SQLite tries again. With false, the statement fails with `SQLITE_BUSY`.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// What a connection does when it needs a lock that another connection holds.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.busyMode = .timeout(5)
    /// config.busyMode = .callback { numberOfTries in
    ///     Thread.sleep(forTimeInterval: 0.01)
    ///     return numberOfTries < 100
    /// }
    /// ```
    public enum BusyMode: Sendable {
        /// The statement fails at once with `SQLITE_BUSY`.
        ///
        /// There are two exceptions. While a pool reads, its writer waits up to half a second for a lock, because a
        /// reader in WAL mode may hold the write lock for some microseconds. The writer can't distinguish such a lock
        /// from the lock of another process, and waits for both. Readers of pools wait up to ten seconds for the
        /// recovery of a WAL file.
        case immediateError
        /// SQLite retries for the given number of seconds. Then the statement fails with `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// The callback decides whether SQLite retries.
        case callback(BusyCallback)
    }
}
