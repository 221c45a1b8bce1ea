import AmalgamCore
import CAmalgam

/// The memory that SQLite takes in this process: <https://sqlite.org/malloc.html>.
///
/// SQLite can count what it allocates, under a lock and with a counter for each allocation. Our default build does not
/// (`DEFAULT_MEMSTATUS=0`), because that slows down connections on several threads. What depends on it is said below;
/// ``isCounted`` tells whether it is on, and ``count(_:)`` turns it on before the first connection is opened.
///
/// ```swift
/// try SQLiteMemory.count(true)
/// SQLiteMemory.softLimit = 50_000_000
/// print(SQLiteMemory.used)
/// ```
public enum SQLiteMemory {
    /// What the process counts: <https://sqlite.org/c3ref/c_status_malloc_count.html>.
    public struct Counter: RawRepresentable, Hashable, Sendable {
        /// The number that SQLite gives the counter.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_STATUS_MEMORY_USED`: bytes in use.
        public static let bytes = Counter(rawValue: SQLITE_STATUS_MEMORY_USED)

        /// `SQLITE_STATUS_MALLOC_COUNT`: allocations in use.
        public static let allocations = Counter(rawValue: SQLITE_STATUS_MALLOC_COUNT)

        /// `SQLITE_STATUS_MALLOC_SIZE`: the size of the largest allocation that was asked for: a highest value only.
        public static let allocationSize = Counter(rawValue: SQLITE_STATUS_MALLOC_SIZE)

        /// `SQLITE_STATUS_PAGECACHE_USED`: pages in the memory set aside for page caches.
        public static let pageCacheSlots = Counter(rawValue: SQLITE_STATUS_PAGECACHE_USED)

        /// `SQLITE_STATUS_PAGECACHE_OVERFLOW`: bytes of page caches that found no room in the memory set aside.
        public static let pageCacheOverflow = Counter(rawValue: SQLITE_STATUS_PAGECACHE_OVERFLOW)

        /// `SQLITE_STATUS_PAGECACHE_SIZE`: the size of the largest page that was asked for: a highest value only.
        public static let pageCacheSize = Counter(rawValue: SQLITE_STATUS_PAGECACHE_SIZE)
    }

    /// Whether SQLite counts the memory it allocates.
    public static var isCounted: Bool {
        sqlite3_initialize()
        return amalgam_counts_memory() != 0
    }

    /// Turns counting on or off, for the whole process: `SQLITE_CONFIG_MEMSTATUS`.
    ///
    /// - throws: `SQLITE_MISUSE` once SQLite is in use: do it first.
    public static func count(_ counts: Bool) throws {
        let code = amalgam_config_count_memory(counts ? 1 : 0)
        if code != SQLITE_OK {
            throw DatabaseError(
                code: code, message: "SQLite is in use: count(_:) must be called before anything else.")
        }
    }

    /// The bytes in use: <https://sqlite.org/c3ref/memory_highwater.html>. 0 unless ``isCounted``.
    public static var used: Int { Int(sqlite3_memory_used()) }

    /// The highest number of bytes that were in use. 0 unless ``isCounted``.
    ///
    /// - Parameter resets: whether the number becomes that of now.
    public static func highest(resets: Bool = false) -> Int { Int(sqlite3_memory_highwater(resets ? 1 : 0)) }

    /// What the process has counted. Counters of allocations stay 0 unless ``isCounted``.
    ///
    /// - Parameter resets: whether the highest value becomes the current one.
    /// - throws: `SQLITE_MISUSE` for a counter that SQLite does not know.
    public static func status(_ counter: Counter, resets: Bool = false) throws -> StatusValue {
        var current: Int64 = 0
        var highest: Int64 = 0
        let code = sqlite3_status64(counter.rawValue, &current, &highest, resets ? 1 : 0)
        guard code == SQLITE_OK else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "SQLite has no counter with the number \(counter.rawValue).")
        }
        return StatusValue(current: current, highest: highest)
    }

    /// How many bytes SQLite tries not to exceed, by emptying page caches: 0 for no limit.
    ///
    /// It has an effect when ``isCounted``, only. See <https://sqlite.org/c3ref/hard_heap_limit64.html>.
    public static var softLimit: Int {
        get { Int(sqlite3_soft_heap_limit64(-1)) }
        set { sqlite3_soft_heap_limit64(Int64(max(0, newValue))) }
    }

    /// How many bytes SQLite refuses to exceed, with `SQLITE_NOMEM`: 0 for no limit.
    ///
    /// It has an effect when ``isCounted``, only. The soft limit is never above it. See
    /// <https://sqlite.org/c3ref/hard_heap_limit64.html>.
    public static var hardLimit: Int {
        get { Int(sqlite3_hard_heap_limit64(-1)) }
        set { sqlite3_hard_heap_limit64(Int64(max(0, newValue))) }
    }

    /// Asks all page caches of the process for memory: <https://sqlite.org/c3ref/release_memory.html>.
    ///
    /// It does nothing unless SQLite is built with `ENABLE_MEMORY_MANAGEMENT`. Use `releaseMemory()` of a queue or
    /// pool.
    ///
    /// - Returns: the number of bytes that were freed.
    @discardableResult
    public static func release(_ count: Int) -> Int { Int(sqlite3_release_memory(CInt(clamping: max(0, count)))) }
}
