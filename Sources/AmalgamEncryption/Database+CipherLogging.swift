#if Encryption
public import AmalgamCore

extension Database {
    /// How much SQLCipher logs: messages of one level and of all levels before it.
    ///
    /// ```swift
    /// try db.enableCipherLogging(logLevel: .warn, target: .stderr)
    /// ```
    public enum CipherLogLevel: String, Sendable {
        /// No messages.
        case none
        /// Errors.
        case error
        /// Errors and warnings.
        case warn
        /// Errors, warnings and what SQLCipher does, such as setting a log.
        case info
        /// In addition, the steps of its functions.
        case debug
        /// All messages, including those of memory and mutexes.
        case trace
    }

    /// Where SQLCipher writes its log.
    ///
    /// ```swift
    /// try db.enableCipherLogging(logLevel: .error, target: .file("/path/to/cipher.log"))
    /// ```
    public enum CipherLogTarget: Sendable, Hashable {
        /// The standard output of the process.
        case stdout

        /// The standard error of the process.
        case stderr

        /// The unified log of Apple systems, or logcat on Android. Other systems have none.
        case device

        /// A file, to which messages are appended.
        case file(String)
    }

    /// Starts the log of SQLCipher, which is off otherwise. It has no keys and no content of databases. It is that of the
    /// whole process, not only of this connection.
    ///
    /// ```swift
    /// try db.enableCipherLogging(logLevel: .debug, target: .stderr)
    /// // PRAGMA cipher_log_level = debug; PRAGMA cipher_log = stderr
    /// ```
    ///
    /// See <https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_log>.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func enableCipherLogging(
        logLevel: CipherLogLevel = .debug, target: CipherLogTarget = .device
    ) throws {
        try execute(sql: "PRAGMA cipher_log_level = \(logLevel.rawValue)")
        let destination =
            switch target {
            case .stdout: "stdout"
            case .stderr: "stderr"
            case .device: "device"
            case .file(let path): path
            }
        try execute(sql: "PRAGMA cipher_log = \(destination.sqlLiteral)")
    }

    /// Ends the log of SQLCipher.
    ///
    /// ```swift
    /// try db.disableCipherLogging()
    /// // PRAGMA cipher_log = off
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func disableCipherLogging() throws {
        try execute(sql: "PRAGMA cipher_log_level = none")
        try execute(sql: "PRAGMA cipher_log = off")
    }

    /// Gives SQLCipher a licence code, which its commercial editions want. The one of this package needs none, and ignores
    /// it.
    ///
    /// ```swift
    /// try db.applySQLCipherLicense("OmNpZDow…")
    /// // PRAGMA cipher_license = 'OmNpZDow…'
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func applySQLCipherLicense(_ license: String) throws {
        try execute(sql: "PRAGMA cipher_license = \(license.sqlLiteral)")
    }
}

extension String {
    fileprivate var sqlLiteral: String { "'" + replacing("'", with: "''") + "'" }
}
#endif
