public import AmalgamCore
import CAmalgam

extension Database {
    /// A Boolean option of a connection: <https://sqlite.org/c3ref/c_dbconfig_defensive.html>.
    ///
    /// ```swift
    /// try db.setEnabled(.defensive, true)
    /// ```
    ///
    /// Options that would break Amalgam aren't available.
    public struct Option: Hashable, Sendable {
        let rawValue: CInt

        /// `SQLITE_DBCONFIG_DEFENSIVE`: SQL can't deliberately corrupt the file, neither with `PRAGMA writable_schema`
        /// nor by writing to shadow tables.
        public static let defensive = Option(rawValue: SQLITE_DBCONFIG_DEFENSIVE)
        /// `SQLITE_DBCONFIG_TRUSTED_SCHEMA`: views, triggers, indexes and other schema objects can call any function,
        /// and use any virtual table. Disable it for files from untrusted sources.
        public static let trustedSchema = Option(rawValue: SQLITE_DBCONFIG_TRUSTED_SCHEMA)
        /// `SQLITE_DBCONFIG_ENABLE_TRIGGER`: triggers run.
        public static let triggers = Option(rawValue: SQLITE_DBCONFIG_ENABLE_TRIGGER)
        /// `SQLITE_DBCONFIG_ENABLE_VIEW`: statements can use views.
        public static let views = Option(rawValue: SQLITE_DBCONFIG_ENABLE_VIEW)
        /// `SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE`: ATTACH creates missing files.
        public static let attachCreate = Option(rawValue: SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE)
        /// `SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE`: statements can write to attached databases.
        public static let attachWrite = Option(rawValue: SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE)
        /// `SQLITE_DBCONFIG_ENABLE_COMMENTS`: SQL can contain comments.
        public static let comments = Option(rawValue: SQLITE_DBCONFIG_ENABLE_COMMENTS)
        /// `SQLITE_DBCONFIG_REVERSE_SCANORDER`: queries without ORDER BY return their rows in reverse order, which
        /// reveals code that relies on the order.
        public static let reverseScanOrder = Option(rawValue: SQLITE_DBCONFIG_REVERSE_SCANORDER)
        /// `SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE`: closing the last connection neither checkpoints nor deletes the WAL
        /// file.
        public static let noCheckpointOnClose = Option(rawValue: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
    }

    /// Returns whether an option is enabled.
    ///
    /// ```swift
    /// try db.isEnabled(.defensive)   // false, unless Configuration.isDefensive
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access; `SQLITE_ERROR` if the build of SQLite doesn't have the
    ///   option.
    public func isEnabled(_ option: Option) throws -> Bool {
        try checkAccess()
        let (code, value) = configure(option.rawValue, -1)
        if code != SQLITE_OK { throw error(code) }
        return value != 0
    }

    /// Enables or disables an option. If its value changes, SQLite recompiles statements before it executes them again.
    ///
    /// ```swift
    /// try db.setEnabled(.triggers, false)
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access; `SQLITE_ERROR` if the build of SQLite doesn't have the
    ///   option.
    public func setEnabled(_ option: Option, _ isOn: Bool) throws {
        try checkAccess()
        let code = configure(option.rawValue, isOn ? 1 : 0).code
        if code != SQLITE_OK { throw error(code) }
    }
}

extension Configuration {
    /// Configures connections to a file from an untrusted source, which may be malicious.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.harden()
    /// let dbQueue = try DatabaseQueue(path: path, configuration: config)
    /// ```
    ///
    /// The method enables defensive mode, doesn't trust the schema, checks the pages that are read, and disables
    /// memory-mapped I/O. Call it before `prepareDatabase(_:)`, so that the closures passed to `prepareDatabase(_:)`
    /// run with these settings.
    ///
    /// A new configuration isn't hardened, because hardening breaks the views and triggers that call a function of the
    /// application, unless the function is declared innocuous. See <https://sqlite.org/security.html>.
    public mutating func harden() {
        isDefensive = true
        trustsSchema = false
        prepareDatabase { db in
            try db.execute(sql: "PRAGMA cell_size_check = ON")
            try db.execute(sql: "PRAGMA mmap_size = 0")
        }
    }
}
