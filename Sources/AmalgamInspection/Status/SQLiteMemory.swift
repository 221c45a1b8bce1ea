import AmalgamCore
import CAmalgam

/// The memory allocated by SQLite in this process: <https://sqlite.org/malloc.html>.
///
/// SQLite can count its allocations, and then takes a lock for each allocation. The default build doesn't count
/// allocations (`DEFAULT_MEMSTATUS=0`), because the lock slows down connections on several threads. ``isCounted`` tells
/// whether SQLite counts. To enable counting, call ``count(_:)`` before the first connection is opened.
///
/// ```swift
/// try SQLiteMemory.count(true)
/// SQLiteMemory.softLimit = 50_000_000
/// print(SQLiteMemory.used)
/// ```
public enum SQLiteMemory {
    /// A counter of the process: <https://sqlite.org/c3ref/c_status_malloc_count.html>.
    ///
    /// ```swift
    /// let count = try SQLiteMemory.status(.allocations).current
    /// ```
    public struct Counter: RawRepresentable, Hashable, Sendable {
        /// SQLite's code of the counter.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// `SQLITE_STATUS_MEMORY_USED`: the number of allocated bytes.
        public static let bytes = Counter(rawValue: SQLITE_STATUS_MEMORY_USED)

        /// `SQLITE_STATUS_MALLOC_COUNT`: the number of allocations.
        public static let allocations = Counter(rawValue: SQLITE_STATUS_MALLOC_COUNT)

        /// `SQLITE_STATUS_MALLOC_SIZE`: the size of the largest requested allocation, in ``StatusValue/highest``.
        public static let allocationSize = Counter(rawValue: SQLITE_STATUS_MALLOC_SIZE)

        /// `SQLITE_STATUS_PAGECACHE_USED`: the number of pages in the memory reserved for page caches.
        public static let pageCacheSlots = Counter(rawValue: SQLITE_STATUS_PAGECACHE_USED)

        /// `SQLITE_STATUS_PAGECACHE_OVERFLOW`: the bytes of page caches that didn't fit in the reserved memory.
        public static let pageCacheOverflow = Counter(rawValue: SQLITE_STATUS_PAGECACHE_OVERFLOW)

        /// `SQLITE_STATUS_PAGECACHE_SIZE`: the size of the largest requested page, in ``StatusValue/highest``.
        public static let pageCacheSize = Counter(rawValue: SQLITE_STATUS_PAGECACHE_SIZE)
    }

    /// Whether SQLite counts the memory that it allocates.
    public static var isCounted: Bool {
        sqlite3_initialize()
        return amalgam_counts_memory() != 0
    }

    /// Enables or disables counting for the whole process: `SQLITE_CONFIG_MEMSTATUS`.
    ///
    /// ```swift
    /// try SQLiteMemory.count(true)   // before the first connection is opened
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if SQLite is already in use.
    public static func count(_ counts: Bool) throws {
        let code = amalgam_config_count_memory(counts ? 1 : 0)
        if code != SQLITE_OK {
            throw DatabaseError(
                code: code, message: "SQLite is in use: count(_:) must be called before anything else.")
        }
    }

    /// The number of allocated bytes; 0 unless ``isCounted`` is true: <https://sqlite.org/c3ref/memory_highwater.html>.
    public static var used: Int { Int(sqlite3_memory_used()) }

    /// Returns the highest number of allocated bytes; 0 unless ``isCounted`` is true.
    ///
    /// ```swift
    /// let highest = SQLiteMemory.highest(resets: true)
    /// ```
    ///
    /// - Parameter resets: whether to reset the highest number to the current one.
    public static func highest(resets: Bool = false) -> Int { Int(sqlite3_memory_highwater(resets ? 1 : 0)) }

    /// Returns a counter of the process. Counters of allocations are 0 unless ``isCounted`` is true.
    ///
    /// ```swift
    /// let bytes = try SQLiteMemory.status(.bytes).current
    /// ```
    ///
    /// - Parameter resets: whether to reset the highest value to the current one.
    /// - Throws: `SQLITE_MISUSE` if SQLite doesn't know the counter.
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

    /// The number of bytes that SQLite tries not to exceed, by releasing pages of caches. 0 means no limit.
    ///
    /// The limit has an effect only if ``isCounted`` is true. See <https://sqlite.org/c3ref/hard_heap_limit64.html>.
    public static var softLimit: Int {
        get { Int(sqlite3_soft_heap_limit64(-1)) }
        set { sqlite3_soft_heap_limit64(Int64(max(0, newValue))) }
    }

    /// The number of bytes that SQLite doesn't exceed: further allocations fail with `SQLITE_NOMEM`. 0 means no limit.
    ///
    /// The limit has an effect only if ``isCounted`` is true. If the soft limit is 0 or above the hard limit, SQLite
    /// sets it to the hard limit. See <https://sqlite.org/c3ref/hard_heap_limit64.html>.
    public static var hardLimit: Int {
        get { Int(sqlite3_hard_heap_limit64(-1)) }
        set { sqlite3_hard_heap_limit64(Int64(max(0, newValue))) }
    }

    /// Releases memory of all page caches in the process: <https://sqlite.org/c3ref/release_memory.html>.
    ///
    /// The method has an effect only if SQLite is built with `SQLITE_ENABLE_MEMORY_MANAGEMENT`. The default build
    /// doesn't have this option. Call `releaseMemory()` of a `DatabaseQueue` or `DatabasePool` instead.
    ///
    /// - Parameter count: the number of bytes to release.
    /// - Returns: the number of released bytes.
    @discardableResult
    public static func release(_ count: Int) -> Int { Int(sqlite3_release_memory(CInt(clamping: max(0, count)))) }
}
