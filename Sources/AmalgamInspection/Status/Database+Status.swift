public import AmalgamCore
import CAmalgam

extension Database {
    /// A counter of a connection: <https://sqlite.org/c3ref/c_dbstatus_options.html>.
    ///
    /// ```swift
    /// let bytes = try db.status(.statementBytes).current
    /// ```
    public struct Counter: RawRepresentable, Hashable, Sendable {
        /// SQLite's code of the counter.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_DBSTATUS_LOOKASIDE_USED`: the lookaside slots in use.
        public static let lookasideUsed = Counter(rawValue: SQLITE_DBSTATUS_LOOKASIDE_USED)

        /// `SQLITE_DBSTATUS_LOOKASIDE_HIT`: allocations served by lookaside memory, counted in ``StatusValue/highest``.
        public static let lookasideHits = Counter(rawValue: SQLITE_DBSTATUS_LOOKASIDE_HIT)

        /// `SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE`: allocations too large for a lookaside slot, counted in
        /// ``StatusValue/highest``.
        public static let lookasideMissesBySize = Counter(rawValue: SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE)

        /// `SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL`: allocations while all lookaside slots were in use, counted in
        /// ``StatusValue/highest``.
        public static let lookasideMissesByFullness = Counter(rawValue: SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL)

        /// `SQLITE_DBSTATUS_CACHE_USED`: the size of all page caches, in bytes.
        public static let cacheBytes = Counter(rawValue: SQLITE_DBSTATUS_CACHE_USED)

        /// `SQLITE_DBSTATUS_CACHE_USED_SHARED`: the size of all page caches, in bytes. The size of a shared cache is
        /// divided by the number of its connections.
        public static let sharedCacheBytes = Counter(rawValue: SQLITE_DBSTATUS_CACHE_USED_SHARED)

        /// `SQLITE_DBSTATUS_CACHE_HIT`: the number of pages found in the page cache.
        public static let cacheHits = Counter(rawValue: SQLITE_DBSTATUS_CACHE_HIT)

        /// `SQLITE_DBSTATUS_CACHE_MISS`: the number of pages read from the file.
        public static let cacheMisses = Counter(rawValue: SQLITE_DBSTATUS_CACHE_MISS)

        /// `SQLITE_DBSTATUS_CACHE_WRITE`: the number of pages written to the database or WAL file.
        public static let cacheWrites = Counter(rawValue: SQLITE_DBSTATUS_CACHE_WRITE)

        /// `SQLITE_DBSTATUS_CACHE_SPILL`: the number of pages written during a transaction because the cache was full.
        public static let cacheSpills = Counter(rawValue: SQLITE_DBSTATUS_CACHE_SPILL)

        /// `SQLITE_DBSTATUS_TEMPBUF_SPILL`: the number of bytes written to temporary files by sorts and temporary
        /// tables.
        public static let temporaryBytesSpilled = Counter(rawValue: SQLITE_DBSTATUS_TEMPBUF_SPILL)

        /// `SQLITE_DBSTATUS_SCHEMA_USED`: the size of the schemas, in bytes.
        public static let schemaBytes = Counter(rawValue: SQLITE_DBSTATUS_SCHEMA_USED)

        /// `SQLITE_DBSTATUS_STMT_USED`: the size of the compiled statements, in bytes.
        public static let statementBytes = Counter(rawValue: SQLITE_DBSTATUS_STMT_USED)

        /// `SQLITE_DBSTATUS_DEFERRED_FKS`: 1 while a foreign key constraint is violated and deferred, otherwise 0.
        public static let unresolvedForeignKeys = Counter(rawValue: SQLITE_DBSTATUS_DEFERRED_FKS)
    }

    /// Returns a counter of this connection.
    ///
    /// ```swift
    /// let misses = try db.status(.cacheMisses).current
    /// ```
    ///
    /// - Parameter resets: whether to reset the counter: the highest value is set to the current one. Counters of
    ///   events that have no highest value, such as ``Counter/cacheHits``, are set to 0. Sizes in bytes aren't reset.
    /// - Throws: `SQLITE_MISUSE` if SQLite doesn't know the counter, or outside of a database access.
    public func status(_ counter: Counter, resets: Bool = false) throws -> StatusValue {
        try checkAccess()
        var current: Int64 = 0
        var highest: Int64 = 0
        let code = sqlite3_db_status64(sqliteConnection, counter.rawValue, &current, &highest, resets ? 1 : 0)
        guard code == SQLITE_OK else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "SQLite has no counter with the number \(counter.rawValue).")
        }
        return StatusValue(current: current, highest: highest)
    }

    /// The hits and misses of the page caches; nil if the connection is closed. The property can be read outside of a
    /// database access if the caller excludes concurrent uses of the connection.
    package var cacheCounts: CacheCounts? {
        guard sqliteConnection != nil else { return nil }
        var counts = CacheCounts()
        counts.hits = count(SQLITE_DBSTATUS_CACHE_HIT)
        counts.misses = count(SQLITE_DBSTATUS_CACHE_MISS)
        return counts
    }

    private func count(_ counter: CInt) -> Int {
        var current: Int64 = 0
        var highest: Int64 = 0
        sqlite3_db_status64(sqliteConnection, counter, &current, &highest, 0)
        return Int(current)
    }
}

/// The numbers of pages found in a connection's cache, and read from the file.
package struct CacheCounts: Sendable {
    package var hits = 0
    package var misses = 0

    package init() {}

    package static func += (counts: inout CacheCounts, other: CacheCounts) {
        counts.hits += other.hits
        counts.misses += other.misses
    }
}
