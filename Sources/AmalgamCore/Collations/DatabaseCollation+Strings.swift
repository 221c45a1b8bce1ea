import CAmalgam
import Foundation

// Every connection has these collations. Each is registered when SQLite first encounters its name.
//
// The names and sort orders must not change, because the schemas and indexes of existing files depend on them.

extension DatabaseCollation {
    /// The collation `swiftCompare`: the order of Swift's strings by `<` and `==`. It doesn't depend on the locale.
    ///
    /// An example of the order: `'' 1 10 2 A Z a z à`
    public static let unicodeCompare = DatabaseCollation(name: "swiftCompare") { lhs, rhs in
        if areASCII(lhs, rhs) { return compareBytes(lhs, rhs) }
        return compareTexts(lhs, rhs) { $0 == $1 ? .orderedSame : $0 < $1 ? .orderedAscending : .orderedDescending }
    }

    /// The collation `swiftCaseInsensitiveCompare`: `caseInsensitiveCompare` of Foundation. It doesn't depend on the
    /// locale.
    ///
    /// An example of the order, with `=` between equal strings: `'' 1 10 2 a=A à Z=z`
    public static let caseInsensitiveCompare = DatabaseCollation(name: "swiftCaseInsensitiveCompare") { lhs, rhs in
        if areASCII(lhs, rhs) { return compareIgnoringCase(lhs, rhs) }
        return compareTexts(lhs, rhs) { $0.caseInsensitiveCompare($1) }
    }

    /// The collation `swiftLocalizedCaseInsensitiveCompare`: `localizedCaseInsensitiveCompare` of Foundation, in the
    /// current locale.
    ///
    /// An example of the order, with `=` between equal strings: `'' 1 10 2 a=A à Z=z`
    public static let localizedCaseInsensitiveCompare = localized("swiftLocalizedCaseInsensitiveCompare") {
        $0.localizedCaseInsensitiveCompare($1)
    }

    /// The collation `swiftLocalizedCompare`: `localizedCompare` of Foundation, in the current locale.
    ///
    /// An example of the order: `'' 1 10 2 a A à z Z`
    public static let localizedCompare = localized("swiftLocalizedCompare") { $0.localizedCompare($1) }

    /// The collation `swiftLocalizedStandardCompare`: `localizedStandardCompare` of Foundation, which sorts file names,
    /// in the current locale.
    ///
    /// An example of the order: `'' 1 2 10 a A à z Z`
    public static let localizedStandardCompare = localized("swiftLocalizedStandardCompare") {
        $0.localizedStandardCompare($1)
    }

    static let defaults = [
        unicodeCompare, caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare,
        localizedStandardCompare,
    ]

    private static func localized(
        _ name: String, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
    ) -> DatabaseCollation {
        DatabaseCollation(name: name) { lhs, rhs in
            // Foundation takes a microsecond to compare two equal strings.
            if compareBytes(lhs, rhs) == .orderedSame { return .orderedSame }
            return compareTexts(lhs, rhs, compare)
        }
    }
}

// MARK: - ASCII

extension DatabaseCollation {
    /// Whether both strings are ASCII. Swift orders ASCII strings by their bytes, and comparing bytes is much faster
    /// than creating two Swift strings.
    private static func areASCII(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Bool {
        isASCII(lhs) && isASCII(rhs)
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var bits: UInt64 = 0
        var index = 0
        while index + 8 <= bytes.count {
            bits |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bits |= UInt64(bytes[index])
            index += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Compares ASCII strings by their lowercase letters.
    private static func compareIgnoringCase(
        _ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer
    ) -> ComparisonResult {
        for index in 0..<min(lhs.count, rhs.count) where lhs[index] != rhs[index] {
            let (left, right) = (lowercased(lhs[index]), lowercased(rhs[index]))
            if left != right { return left < right ? .orderedAscending : .orderedDescending }
        }
        return lhs.count == rhs.count ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

// MARK: - Registration

extension DatabaseCollation {
    /// The position of the default collation with the same name.
    var defaultIndex: Int? { Self.defaults.firstIndex { $0.id == id } }

    /// Installs the callback that SQLite calls for an unknown collation name. The callback registers the default
    /// collation with this name, unless the collation was removed from the connection.
    ///
    /// - Parameter removed: One bit for each element of `defaults`, set if the collation was removed.
    static func offerDefaults(to connection: SQLiteConnection, except removed: UInt) {
        let context = UnsafeMutableRawPointer(bitPattern: removed)
        sqlite3_collation_needed(connection, context) { context, connection, _, name in
            guard let connection, let name else { return }
            let removed = UInt(bitPattern: context)
            let collation = DatabaseCollation.default(named: String(cString: name), except: removed)
            // SQLite ignores this error, and would report that the collation doesn't exist.
            if collation?.register(on: connection, database: nil) == SQLITE_NOMEM { amalgam_out_of_memory(connection) }
        }
    }

    private static func `default`(named name: String, except removed: UInt) -> DatabaseCollation? {
        let id = ID(name)
        guard let index = defaults.firstIndex(where: { $0.id == id }), removed & 1 << index == 0 else { return nil }
        return defaults[index]
    }
}
