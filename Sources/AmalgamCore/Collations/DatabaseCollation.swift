import CAmalgam
public import Foundation

/// A collation written in Swift: <https://sqlite.org/datatype3.html#collating_sequences>.
///
/// ```swift
/// let byLength = DatabaseCollation("byLength") { (lhs, rhs) in
///     lhs.count == rhs.count ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
/// }
/// var config = Configuration()
/// config.prepareDatabase { db in db.add(collation: byLength) }
///
/// // CREATE TABLE player (name TEXT COLLATE byLength)
/// // SELECT name FROM player ORDER BY name
/// ```
///
/// A schema stores the name of a collation, and indexes are sorted by it: all connections to the file need the same
/// collation. After you change its order, run `REINDEX byLength`.
///
/// The function receives only valid UTF-8 strings. Invalid TEXT values are sorted after valid ones. SQLite doesn't
/// compare blobs by collations: it sorts blobs after TEXT values.
public final class DatabaseCollation: Identifiable, Sendable {
    /// The identity of a collation on a connection: its name, compared without regard to the case of ASCII letters.
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

    /// The order of any TEXT values, including invalid UTF-8.
    private let comparison: Comparison

    init(name: String, comparison: @escaping Comparison) {
        self.name = name
        self.comparison = comparison
    }

    /// Creates a collation.
    ///
    /// ```swift
    /// let reversed = DatabaseCollation("reversed") { lhs, rhs in rhs.compare(lhs) }
    /// db.add(collation: reversed)
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name COLLATE reversed")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in SQL. Its case doesn't matter.
    ///   - function: Compares two strings. Its results must be consistent and transitive. Otherwise, queries miss rows
    ///     in indexes: <https://sqlite.org/c3ref/create_collation.html>. The function must not use the connection,
    ///     whose methods throw `SQLITE_MISUSE` during the call.
    public convenience init(_ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult) {
        self.init(name: name) { lhs, rhs in Self.compareTexts(lhs, rhs, function) }
    }

    /// Compares two TEXT values. Values with invalid UTF-8 are sorted after valid ones, by their bytes.
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
    /// A collation on a connection, which SQLite passes to its callback.
    private final class Registration {
        private let collation: DatabaseCollation
        // Unsafe, because each comparison reads this reference, and checked references are slower. During a comparison,
        // the database is alive: SQLite only compares values in statements, which retain the database.
        private unowned(unsafe) let database: Database?

        init(_ collation: DatabaseCollation, _ database: Database?) {
            self.collation = collation
            self.database = database
        }

        /// Compares two values. The application's function must not use the connection: SQLite is searching a b-tree,
        /// and a change of the database could move the pages that SQLite is reading.
        func compare(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> ComparisonResult {
            guard let database else { return collation.comparison(lhs, rhs) }
            return database.duringCallback { collation.comparison(lhs, rhs) }
        }
    }

    /// Registers the collation.
    ///
    /// - Parameter database: The connection whose methods throw `SQLITE_MISUSE` while the function of the collation
    ///   runs; nil for a default collation, which calls no code of the application.
    /// - Returns: SQLite's result code: `SQLITE_BUSY` if a collation with this name exists and a statement is running.
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
