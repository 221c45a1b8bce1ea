import CAmalgam
public import Foundation

/// An order of texts written in Swift: <https://sqlite.org/datatype3.html#collating_sequences>.
///
/// ```swift
/// let byLength = DatabaseCollation("byLength") { (lhs, rhs) in
///     lhs.count == rhs.count ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
/// }
/// config.prepareDatabase { db in db.add(collation: byLength) }
///
/// // CREATE TABLE player (name TEXT COLLATE byLength)
/// // SELECT name FROM player ORDER BY name
/// ```
///
/// The name is stored in schemas, and the order in indexes: a file that uses a collation needs the same one wherever it
/// is opened. After a change of the order, run `REINDEX byLength`.
///
/// Two texts are only compared while both are valid UTF-8. A text that is not comes after all that are. Blobs are not
/// compared by collations: SQLite puts them after texts.
public final class DatabaseCollation: Identifiable, Sendable {
    /// What tells collations apart on one connection: the name, whatever the case of its ASCII letters.
    public struct ID: Hashable, Sendable {
        private let key: String

        init(_ name: String) {
            key = name.lowercasedASCII
        }

        public static func == (lhs: DatabaseCollation.ID, rhs: DatabaseCollation.ID) -> Bool {
            lhs.key.utf8.elementsEqual(rhs.key.utf8)
        }

        public func hash(into hasher: inout Hasher) {
            key.utf8.forEach { hasher.combine($0) }
        }
    }

    typealias Comparison = @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ComparisonResult

    /// The name in SQL.
    public let name: String

    public var id: ID { ID(name) }

    /// The order of any UTF-8 texts, also of invalid ones.
    private let comparison: Comparison

    init(name: String, comparison: @escaping Comparison) {
        self.name = name
        self.comparison = comparison
    }

    /// A collation.
    ///
    /// - Parameters:
    ///   - name: the name in SQL, whatever its case.
    ///   - function: the order. It must say the same each time, and be transitive, or indexes lose rows:
    ///     <https://sqlite.org/c3ref/create_collation.html>. It can't use the connection: that throws `SQLITE_MISUSE`.
    public convenience init(_ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult) {
        self.init(name: name) { lhs, rhs in Self.compareTexts(lhs, rhs, function) }
    }

    /// Compares valid texts, and puts invalid ones behind them.
    static func compareTexts(
        _ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer, _ compare: (String, String) -> ComparisonResult
    ) -> ComparisonResult {
        let (left, right) = (String(validating: lhs, as: UTF8.self), String(validating: rhs, as: UTF8.self))
        switch (left, right) {
        case (let left?, let right?): return compare(left, right)
        case (_?, nil): return .orderedAscending
        case (nil, _?): return .orderedDescending
        case (nil, nil): return compareBytes(lhs, rhs)
        }
    }

    static func compareBytes(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> ComparisonResult {
        let common = min(lhs.count, rhs.count)
        let order = common == 0 ? 0 : memcmp(lhs.baseAddress!, rhs.baseAddress!, common)
        if order != 0 { return order < 0 ? .orderedAscending : .orderedDescending }
        return lhs.count == rhs.count ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
    }
}

// MARK: - Registration

extension DatabaseCollation {
    /// A collation of a connection: what SQLite passes to its callback.
    private final class Registration {
        private let collation: DatabaseCollation
        // Unsafe for speed, because it is read for each comparison: SQLite compares values in statements of the database, which
        // retain it.
        private unowned(unsafe) let database: Database?

        init(_ collation: DatabaseCollation, _ database: Database?) {
            self.collation = collation
            self.database = database
        }

        /// SQLite compares values while it searches b-trees: changes of the database would move the pages that it reads.
        func compare(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> ComparisonResult {
            guard let database else { return collation.comparison(lhs, rhs) }
            return database.duringCallback { collation.comparison(lhs, rhs) }
        }
    }

    /// Registers the collation.
    ///
    /// - Parameter database: The database that the order must not use; nil for an order that has none.
    /// - Returns: SQLite's code: `SQLITE_BUSY` when there is such a collation already, and a statement runs.
    func register(on connection: SQLiteConnection, database: Database?) -> CInt {
        let registration = Unmanaged.passRetained(Registration(self, database))
        let code = sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, registration.toOpaque(),
            { registration, leftCount, left, rightCount, right in
                let lhs = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let rhs = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return Unmanaged<Registration>.fromOpaque(registration!)._withUnsafeGuaranteedRef {
                    CInt($0.compare(lhs, rhs).rawValue)
                }
            },
            { registration in
                if let registration { Unmanaged<Registration>.fromOpaque(registration).release() }
            })
        if code != SQLITE_OK { registration.release() }
        return code
    }

    func unregister(from connection: SQLiteConnection) -> CInt {
        sqlite3_create_collation_v2(connection, name, SQLITE_UTF8, nil, nil, nil)
    }
}
