import CAmalgam

/// The SQLite library in this process: its version, origin and compile options.
///
/// ```swift
/// print(SQLiteBuild.version)                        // 3.53.4
/// print(SQLiteBuild.hasOption("ENABLE_FTS5"))       // true
/// ```
///
/// All values come from the library itself. `scripts/bootstrap` can build the library with other options.
public enum SQLiteBuild {
    /// The version, such as `3.53.4`.
    public static var version: String { String(cString: sqlite3_libversion()) }

    /// The version as a number, such as 3053004.
    public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

    /// The hash of the check-in from which SQLite was built. The source was verified against this hash.
    public static var checkIn: String { String(cString: amalgam_build_checkin()) }

    /// The date and hash in SQLite's source identifier: <https://sqlite.org/c3ref/libversion.html>.
    public static var sourceID: String { String(cString: sqlite3_sourceid()) }

    /// The origin of the source from which the library was built.
    public static var origin: String { String(cString: amalgam_build_origin()) }

    /// The way in which the source was verified when the library was built.
    public static var verification: String { String(cString: amalgam_build_verification()) }

    /// The enabled traits of the package that changed the library, such as `["MaxAttached", "Encryption"]`.
    ///
    /// `scripts/bootstrap --list` names the traits that set compile options. The trait `OpenCombine` isn't one of them.
    public static var traits: [String] {
        String(cString: amalgam_build_traits()).split(separator: " ").map(String.init)
    }

    /// Whether the library was built by `scripts/bootstrap` with options other than the defaults. Traits don't count.
    public static var hasCustomOptions: Bool { amalgam_build_has_custom_options() != 0 }

    /// Whether the library has SQLite's decimal numbers: <https://sqlite.org/floatingpoint.html#decext>.
    ///
    /// ```swift
    /// SQLiteBuild.hasDecimals   // true
    /// ```
    ///
    /// They are part of SQLite's canonical source tree, and not of the archives that hold the amalgamation only. A library that
    /// `scripts/bootstrap --origin pypi` has built doesn't have them: `Decimal` columns then can't be ordered or added in SQL.
    public static var hasDecimals: Bool { amalgam_build_has_decimals() != 0 }

    /// Whether the library has SQLite's recovery of damaged files: <https://sqlite.org/recovery.html>.
    ///
    /// ```swift
    /// SQLiteBuild.hasRecovery   // true
    /// ```
    ///
    /// It is part of SQLite's canonical source tree, and not of the archives that hold the amalgamation only. In a library that
    /// `scripts/bootstrap --origin pypi` has built, or one without `ENABLE_DBPAGE_VTAB`, `DatabaseRecovery` throws an error.
    public static var hasRecovery: Bool { amalgam_build_has_recovery() != 0 }

    /// The compile options without their `SQLITE_` prefix: <https://sqlite.org/c3ref/compileoption_get.html>.
    public static var compileOptions: [String] {
        var options: [String] = []
        while let option = sqlite3_compileoption_get(CInt(options.count)) {
            options.append(String(cString: option))
        }
        return options
    }

    /// Returns whether the library was compiled with an option.
    ///
    /// ```swift
    /// SQLiteBuild.hasOption("ENABLE_FTS5")      // true
    /// SQLiteBuild.hasOption("THREADSAFE=2")     // true if the option has this value
    /// ```
    ///
    /// - Parameter name: The option, with or without the `SQLITE_` prefix, and optionally with a value.
    public static func hasOption(_ name: String) -> Bool { sqlite3_compileoption_used(name) != 0 }

    /// The codec of encrypted databases, which is part of the library with the trait `Encryption` of the package.
    public struct Cipher: Sendable, Hashable {
        /// The version of SQLCipher, such as `4.19.0`.
        public let version: String

        /// The library that does the cryptography: `openssl`, or `commoncrypto` on Apple systems.
        public let provider: String

        /// The version of that library, such as `OpenSSL 3.0.19 27 Jan 2026`.
        public let providerVersion: String
    }

    /// The codec of encrypted databases; nil without the trait `Encryption`.
    ///
    /// ```swift
    /// if let cipher = SQLiteBuild.cipher { print("SQLCipher", cipher.version) }
    /// ```
    public static let cipher: Cipher? = amalgam_cipher_version().map { version in
        Cipher(
            version: String(cString: version),
            provider: amalgam_cipher_provider().map { String(cString: $0) } ?? "",
            providerVersion: amalgam_cipher_provider_version().map { String(cString: $0) } ?? "")
    }

    /// The threading modes of SQLite: <https://sqlite.org/threadsafe.html>.
    public enum ThreadMode: Int, Sendable {
        /// No mutexes. Amalgam doesn't work in this mode.
        case singleThread = 0
        /// Each connection is protected by mutexes.
        case serialized = 1
        /// One thread at a time may use a connection. Amalgam ensures this, so SQLite needs no mutexes for it.
        case multiThread = 2
    }

    /// The threading mode of the library.
    public static var threadMode: ThreadMode { ThreadMode(rawValue: Int(sqlite3_threadsafe())) ?? .singleThread }

    /// The minimum version. Earlier ones can corrupt databases in WAL mode: <https://sqlite.org/wal.html#walresetbug>.
    static let floorVersionNumber = 3_051_003

    /// The compile options that the Swift modules require.
    static let requiredOptions = [
        "ENABLE_CARRAY", "ENABLE_COLUMN_METADATA", "ENABLE_FTS5", "ENABLE_PREUPDATE_HOOK", "ENABLE_SESSION",
        "ENABLE_SNAPSHOT",
    ]

    /// The reason why the Swift modules can't use the library, and the remedy; nil if they can use it.
    package static let defect = defect(
        versionNumber: versionNumber, threadMode: threadMode, missingOptions: requiredOptions.filter { !hasOption($0) })

    static func defect(versionNumber: Int, threadMode: ThreadMode, missingOptions: [String]) -> String? {
        if versionNumber < floorVersionNumber {
            return """
                SQLite \(versionNumber) is too old: versions before 3.51.3 can corrupt databases in WAL mode \
                (https://sqlite.org/wal.html#walresetbug). Run scripts/bootstrap and build again.
                """
        }
        if threadMode == .singleThread {
            return "SQLite was built with THREADSAFE=0. Run scripts/bootstrap --default and build again."
        }
        if !missingOptions.isEmpty {
            let names = missingOptions.map { "SQLITE_\($0)" }.joined(separator: ", ")
            return "SQLite was built without \(names). Run scripts/bootstrap --default and build again."
        }
        return nil
    }
}
