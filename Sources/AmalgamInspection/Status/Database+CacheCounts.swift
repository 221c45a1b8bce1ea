package import AmalgamCore
import CAmalgam

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

extension Database {
    /// What the page caches have counted; nil when the connection is closed. For who keeps everybody else from using
    /// the connection meanwhile: it need not have access.
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
