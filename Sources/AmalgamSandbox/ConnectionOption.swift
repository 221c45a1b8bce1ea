public import AmalgamCore
import CAmalgam

extension Database {
    /// A switch of a connection: <https://sqlite.org/c3ref/c_dbconfig_defensive.html>.
    ///
    /// Only those are here that cannot break what Amalgam relies on.
    public struct Option: Hashable, Sendable {
        let rawValue: CInt

        /// `SQLITE_DBCONFIG_DEFENSIVE`: SQL cannot corrupt the file on purpose, neither by `PRAGMA writable_schema`
        /// nor by writing shadow tables.
        public static let defensive = Option(rawValue: SQLITE_DBCONFIG_DEFENSIVE)
        /// `SQLITE_DBCONFIG_TRUSTED_SCHEMA`: views, triggers, indexes and the like may call any function, and use any
        /// virtual table. Turn it off for files that come from others.
        public static let trustedSchema = Option(rawValue: SQLITE_DBCONFIG_TRUSTED_SCHEMA)
        /// `SQLITE_DBCONFIG_ENABLE_TRIGGER`: triggers fire.
        public static let triggers = Option(rawValue: SQLITE_DBCONFIG_ENABLE_TRIGGER)
        /// `SQLITE_DBCONFIG_ENABLE_VIEW`: views can be used.
        public static let views = Option(rawValue: SQLITE_DBCONFIG_ENABLE_VIEW)
        /// `SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE`: ATTACH creates files that are not there.
        public static let attachCreate = Option(rawValue: SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE)
        /// `SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE`: attached databases can be written.
        public static let attachWrite = Option(rawValue: SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE)
        /// `SQLITE_DBCONFIG_ENABLE_COMMENTS`: SQL may hold comments.
        public static let comments = Option(rawValue: SQLITE_DBCONFIG_ENABLE_COMMENTS)
        /// `SQLITE_DBCONFIG_REVERSE_SCANORDER`: rows without an ORDER BY come in reverse, to find what relies on it.
        public static let reverseScanOrder = Option(rawValue: SQLITE_DBCONFIG_REVERSE_SCANORDER)
        /// `SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE`: closing the last connection leaves the WAL file as it is.
        public static let noCheckpointOnClose = Option(rawValue: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
    }

    /// Whether an option is on.
    ///
    /// ```swift
    /// try db.isEnabled(.defensive)   // false, unless Configuration.isDefensive
    /// ```
    public func isEnabled(_ option: Option) throws -> Bool {
        try checkAccess()
        let (code, value) = configure(option.rawValue, -1)
        if code != SQLITE_OK { throw error(code) }
        return value != 0
    }

    /// Turns an option on or off. Statements are compiled again before they run next.
    ///
    /// ```swift
    /// try db.setEnabled(.triggers, false)
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access; `SQLITE_ERROR` for an option that the build of SQLite does not have.
    public func setEnabled(_ option: Option, _ isOn: Bool) throws {
        try checkAccess()
        let code = configure(option.rawValue, isOn ? 1 : 0).code
        if code != SQLITE_OK { throw error(code) }
    }
}

extension Configuration {
    /// Prepares connections for a file that comes from others, and may have been made to do harm.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.harden()
    /// let dbQueue = try DatabaseQueue(path: downloadedPath, configuration: config)
    /// ```
    ///
    /// It turns defensive mode on, does not trust the schema, checks the pages that are read, and reads no file
    /// through memory mapping. Set it before other preparations. It is not the default: apps whose views and triggers
    /// call functions of their own would stop working. See <https://sqlite.org/security.html>.
    public mutating func harden() {
        isDefensive = true
        trustsSchema = false
        prepareDatabase { db in
            try db.execute(sql: "PRAGMA cell_size_check = ON")
            try db.execute(sql: "PRAGMA mmap_size = 0")
        }
    }
}
