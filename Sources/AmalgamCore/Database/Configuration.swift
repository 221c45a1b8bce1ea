public import Dispatch
public import Foundation

/// How connections are opened and behave.
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
    /// The journal mode of a queue. Pools are always in WAL mode, unless they are read-only.
    public enum JournalModeConfiguration: Sendable {
        /// A queue leaves the mode of the file as it is; a pool sets WAL.
        case `default`
        /// WAL: <https://sqlite.org/wal.html>.
        case wal
    }

    // MARK: What connections do

    /// Whether foreign keys are enforced: <https://sqlite.org/foreignkeys.html>. True by default.
    public var foreignKeysEnabled = true

    /// Whether connections refuse to write. A missing file is not created. False by default.
    public var readonly = false

    /// The name of connections, in their description and in the names of their dispatch queues.
    public var label: String?

    /// Whether `"foo"` is a string when there is no column foo: <https://sqlite.org/quirks.html#dblquote>.
    /// False by default.
    public var acceptsDoubleQuotedStringLiterals = false

    /// Whether SQL is kept from corrupting the file on purpose: see ``Database/Option/defensive``. False by default.
    public var isDefensive = false

    /// Whether views, triggers and the like may call any function: see ``Database/Option/trustedSchema``. True by
    /// default; turn it off, or call ``harden()``, for files that come from others.
    public var trustsSchema = true

    /// Whether ``Database/loadExtension(at:entryPoint:)`` works. False by default. It opens nothing to SQL: the function
    /// `load_extension()` stays forbidden.
    public var allowsLoadingExtensions = false

    /// The journal mode. Ignored when `readonly` is true.
    public var journalMode = JournalModeConfiguration.default

    /// When connections copy the WAL file into the database file by themselves. With nil, the default, as SQLite does:
    /// after a commit that leaves 1000 frames or more.
    public var automaticCheckpoint: Database.AutomaticCheckpoint?

    /// What happens when another connection holds a lock. `.immediateError` by default.
    public var busyMode = Database.BusyMode.immediateError

    /// Where the date of transactions comes from: see ``Database/transactionDate``.
    public var transactionClock: any TransactionClock = .default

    /// What the application knows about the schema, such as the primary keys of views. Nil by default.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// Whether a transaction may be left open at the end of a database access. False by default.
    public var allowsUnsafeTransactions = false

    /// Whether descriptions of errors and trace events show the arguments of statements. They may be sensitive, so
    /// this is false by default.
    public var publicStatementArguments = false

    /// Whether the database is suspended by ``Database/suspendNotification``, and resumed by
    /// ``Database/resumeNotification``. False by default.
    ///
    /// ```swift
    /// config.observesSuspensionNotifications = true
    /// ```
    ///
    /// Queues and pools observe from their opening to their closing. Snapshots only read, and do not observe.
    public var observesSuspensionNotifications = false

    // MARK: Concurrency

    /// How many readers a pool opens at most. 5 by default, and at least 1.
    ///
    /// A read inside of a write gets an additional reader while all others are in use and one of their reads waits for that
    /// write. The pool closes the additional reader after the read.
    public var maximumReaderCount = 5

    /// The quality of service of asynchronous accesses. Ignored when there is a target queue.
    public var qos = DispatchQoS.userInitiated

    /// The quality of service of asynchronous reads.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The quality of service of asynchronous writes.
    public var writeQoS: DispatchQoS { (writeTargetQueue ?? targetQueue)?.qos ?? qos }

    /// The queue on which accesses run. It must be concurrent for a pool.
    public var targetQueue: DispatchQueue?

    /// The queue on which writes run, in the place of `targetQueue`.
    public var writeTargetQueue: DispatchQueue?

    /// Whether a pool keeps its readers when it releases memory. False by default.
    public var persistentReadOnlyConnections = false

    /// Whether queues and pools release memory when the system asks for it. True by default.
    ///
    /// On Apple systems, queues and pools release memory when the system reports memory pressure, and when the application
    /// enters the background, as `DatabasePool.releaseMemoryEventually()` does: no access waits for it. Other systems don't ask,
    /// and the property has no effect there: call `releaseMemory()`.
    public var automaticMemoryManagement = true

    /// The reads of the same pool, for which a writer waits even when `busyMode` says not to wait.
    package var ownReads: ReadActivity?

    /// The settings of other modules, by their keys.
    private var settings: [ObjectIdentifier: any Sendable] = [:]

    /// What is linked into the process, and set up on each connection.
    package internal(set) var extensions: [RegisteredExtension] = []

    package private(set) var preparations: [@Sendable (Database) throws -> Void] = []
    package private(set) var closings: [@Sendable (SQLiteConnection) -> Void] = []

    /// A configuration with the defaults that each property names.
    public init() {}

    /// A setting of another module; nil, the default, when it isn't set.
    package subscript<Key: ConfigurationKey>(_ key: Key.Type) -> Key.Value? {
        get { settings[ObjectIdentifier(key)] as? Key.Value }
        set { settings[ObjectIdentifier(key)] = newValue }
    }

    /// Adds a closure that runs on each connection after it was opened, before it is used.
    ///
    /// A pool has several connections: its writer, and readers, for which `db.configuration.readonly` is true.
    /// Closures run in the order in which they were added. An error they throw comes out of the initializer, or of
    /// the read that needed a new connection.
    public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
        preparations.append(setup)
    }

    /// Adds a closure that runs on each raw connection just before it is closed, such as one that looks for statements
    /// left alive: <https://sqlite.org/c3ref/next_stmt.html>.
    ///
    /// ```swift
    /// config.onConnectionWillClose { sqliteConnection in
    ///     assert(sqlite3_next_stmt(sqliteConnection, nil) == nil)
    /// }
    /// ```
    ///
    /// Closures run in the order in which they were added. The statements that the connection kept for itself are gone.
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
    /// A function that is asked again and again while a lock is held elsewhere:
    /// <https://sqlite.org/c3ref/busy_handler.html>.
    ///
    /// - Parameter numberOfTries: how often it was asked for the same lock.
    /// - Returns: whether SQLite tries again. With false, the statement fails with `SQLITE_BUSY`.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// What happens when another connection holds a lock.
    public enum BusyMode: Sendable {
        /// The statement fails at once with `SQLITE_BUSY`.
        ///
        /// The writer of a pool waits up to half a second while a read of the same pool is under way: a read in WAL mode may
        /// take the write lock for some microseconds. SQLite doesn't tell who holds the lock, so this goes for the locks of
        /// other processes, too. Readers of pools wait up to ten seconds, for the recovery of a WAL file.
        case immediateError
        /// SQLite tries again for a number of seconds, then the statement fails with `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// The callback decides.
        case callback(BusyCallback)
    }
}
