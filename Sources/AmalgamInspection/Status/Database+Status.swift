public import AmalgamCore
import CAmalgam

extension Database {
    /// What a connection counts: <https://sqlite.org/c3ref/c_dbstatus_options.html>.
    public struct Counter: RawRepresentable, Hashable, Sendable {
        /// The number that SQLite gives the counter.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_DBSTATUS_LOOKASIDE_USED`: slots of fast memory in use.
        public static let lookasideUsed = Counter(rawValue: SQLITE_DBSTATUS_LOOKASIDE_USED)

        /// `SQLITE_DBSTATUS_LOOKASIDE_HIT`: allocations in fast memory. It has a highest value only.
        public static let lookasideHits = Counter(rawValue: SQLITE_DBSTATUS_LOOKASIDE_HIT)

        /// `SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE`: allocations that were too large for fast memory. It has a highest
        /// value only.
        public static let lookasideMissesBySize = Counter(rawValue: SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE)

        /// `SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL`: allocations that found fast memory full. It has a highest value only.
        public static let lookasideMissesByFullness = Counter(rawValue: SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL)

        /// `SQLITE_DBSTATUS_CACHE_USED`: bytes of all page caches.
        public static let cacheBytes = Counter(rawValue: SQLITE_DBSTATUS_CACHE_USED)

        /// `SQLITE_DBSTATUS_CACHE_USED_SHARED`: bytes of all page caches, those of a shared cache divided between its
        /// connections.
        public static let sharedCacheBytes = Counter(rawValue: SQLITE_DBSTATUS_CACHE_USED_SHARED)

        /// `SQLITE_DBSTATUS_CACHE_HIT`: pages found in the cache.
        public static let cacheHits = Counter(rawValue: SQLITE_DBSTATUS_CACHE_HIT)

        /// `SQLITE_DBSTATUS_CACHE_MISS`: pages read from the file.
        public static let cacheMisses = Counter(rawValue: SQLITE_DBSTATUS_CACHE_MISS)

        /// `SQLITE_DBSTATUS_CACHE_WRITE`: pages written to the file or to the WAL file.
        public static let cacheWrites = Counter(rawValue: SQLITE_DBSTATUS_CACHE_WRITE)

        /// `SQLITE_DBSTATUS_CACHE_SPILL`: pages written in the middle of a transaction, because the cache was full.
        public static let cacheSpills = Counter(rawValue: SQLITE_DBSTATUS_CACHE_SPILL)

        /// `SQLITE_DBSTATUS_TEMPBUF_SPILL`: bytes written to temporary files, by sorts and temporary tables.
        public static let temporaryBytesSpilled = Counter(rawValue: SQLITE_DBSTATUS_TEMPBUF_SPILL)

        /// `SQLITE_DBSTATUS_SCHEMA_USED`: bytes of the schemas.
        public static let schemaBytes = Counter(rawValue: SQLITE_DBSTATUS_SCHEMA_USED)

        /// `SQLITE_DBSTATUS_STMT_USED`: bytes of the compiled statements.
        public static let statementBytes = Counter(rawValue: SQLITE_DBSTATUS_STMT_USED)

        /// `SQLITE_DBSTATUS_DEFERRED_FKS`: 1 while a deferred foreign key is violated, 0 else.
        public static let unresolvedForeignKeys = Counter(rawValue: SQLITE_DBSTATUS_DEFERRED_FKS)
    }

    /// What this connection has counted.
    ///
    /// ```swift
    /// let misses = try db.status(.cacheMisses).current
    /// ```
    ///
    /// - Parameter resets: whether the counter begins again: the highest value becomes the current one, and counters of
    ///   events, which have no highest value, become 0. Numbers of bytes are not reset.
    /// - throws: `SQLITE_MISUSE` for a counter that SQLite does not know.
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

    /// What the page caches have counted; nil when the connection is closed. The caller
    /// excludes other uses of the connection during the call, and needs no access.
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

/// How often pages were found in the cache of a connection, and how often they were read from the file.
package struct CacheCounts: Sendable {
    package var hits = 0
    package var misses = 0

    package init() {}

    package static func += (counts: inout CacheCounts, other: CacheCounts) {
        counts.hits += other.hits
        counts.misses += other.misses
    }
}
