import CAmalgam

/// The SQLite that is compiled into the process: which version, from where, with which options.
///
/// ```swift
/// print(SQLiteBuild.version)                        // 3.53.4
/// print(SQLiteBuild.hasOption("ENABLE_FTS5"))       // true
/// ```
///
/// All answers come from the library itself. A build with other options is made by `scripts/bootstrap`.
public enum SQLiteBuild {
    /// The version: `3.53.4`.
    public static var version: String { String(cString: sqlite3_libversion()) }

    /// The version as a number: 3053004.
    public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

    /// The hash of SQLite's check-in, against which the source was verified.
    public static var checkIn: String { String(cString: amalgam_build_checkin()) }

    /// The date and hash that SQLite gives its source: <https://sqlite.org/c3ref/libversion.html>.
    public static var sourceID: String { String(cString: sqlite3_sourceid()) }

    /// Where the source came from when the library was built.
    public static var origin: String { String(cString: amalgam_build_origin()) }

    /// How the source was verified when the library was built.
    public static var verification: String { String(cString: amalgam_build_verification()) }

    /// Whether the options differ from the default ones of the package.
    public static var hasCustomOptions: Bool { amalgam_build_has_custom_options() != 0 }

    /// The compile options, without their `SQLITE_` prefix: <https://sqlite.org/c3ref/compileoption_get.html>.
    public static var compileOptions: [String] {
        var options: [String] = []
        while let option = sqlite3_compileoption_get(CInt(options.count)) {
            options.append(String(cString: option))
        }
        return options
    }

    /// Whether an option is on.
    ///
    /// - Parameter name: `ENABLE_FTS5` or `SQLITE_ENABLE_FTS5`; with a value, `THREADSAFE=2`, the value counts.
    public static func hasOption(_ name: String) -> Bool { sqlite3_compileoption_used(name) != 0 }

    /// How the library protects itself against threads: <https://sqlite.org/threadsafe.html>.
    public enum ThreadMode: Int, Sendable {
        /// No protection at all. Amalgam does not work in this mode.
        case singleThread = 0
        /// Every connection is protected by mutexes.
        case serialized = 1
        /// A connection is used by one thread at a time. This is what Amalgam makes sure of, at no cost for SQLite.
        case multiThread = 2
    }

    /// How the library protects itself against threads.
    public static var threadMode: ThreadMode { ThreadMode(rawValue: Int(sqlite3_threadsafe())) ?? .singleThread }

    /// Versions before 3.51.3 can corrupt a database in WAL mode: <https://sqlite.org/wal.html#walresetbug>.
    static let floorVersionNumber = 3_051_003

    /// What the Swift modules are built on.
    static let requiredOptions = [
        "ENABLE_CARRAY", "ENABLE_COLUMN_METADATA", "ENABLE_FTS5", "ENABLE_PREUPDATE_HOOK", "ENABLE_SESSION",
        "ENABLE_SNAPSHOT",
    ]

    /// Checks, once per process, that the library can carry the Swift modules.
    static func verify() throws {
        if let defect { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: defect) }
    }

    private static let defect = defect(
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
