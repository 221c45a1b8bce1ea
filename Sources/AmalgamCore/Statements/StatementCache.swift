/// The cached statements of a connection, by their SQL.
///
/// SQL is compared by its bytes: for Swift's `==`, it equals canonically equivalent SQL, which names a different table or
/// has a different value. The capacity is limited: the least recently used statements are removed first. See
/// ``StatementStore``.
struct StatementCache {
    private struct Entry {
        var statement: Statement
        var lastUse: UInt64
    }

    private var entries: [ExactString: Entry] = [:]
    private var clock: UInt64 = 0
    private let capacity: Int

    /// The last result, which is compared first: loops request the same statement repeatedly.
    private var recent: (sql: ExactString, statement: Statement)?

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func statement(_ sql: String) -> Statement? {
        if let recent, recent.sql.string.equalsExactly(sql) { return recent.statement }
        let sql = ExactString(sql)
        guard let index = entries.index(forKey: sql) else { return nil }
        clock &+= 1
        if let recent { entries[recent.sql]?.lastUse = clock }
        clock &+= 1
        entries.values[index].lastUse = clock
        let statement = entries.values[index].statement
        recent = (sql, statement)
        return statement
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        clock &+= 1
        entries[ExactString(sql)] = Entry(statement: statement, lastUse: clock)
        if entries.count > capacity { evict() }
    }

    mutating func remove(_ sql: String) {
        recent = nil
        entries[ExactString(sql)] = nil
    }

    mutating func removeAll() {
        recent = nil
        entries = [:]
    }

    /// Removes half of the statements at once, so that they are rarely sorted.
    private mutating func evict() {
        // The last result was used most recently, but its entry isn't updated on each use.
        if let recent { entries[recent.sql]?.lastUse = clock }
        recent = nil
        let byAge = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (sql, _) in byAge.prefix(entries.count / 2) { entries[sql] = nil }
    }
}

/// Hashes of the SQL that was run recently. A statement is only cached when its SQL is run again: otherwise, an import
/// of ten thousand different INSERT statements would replace all cached statements.
struct RecentSQL {
    private var hashes: [Int]

    init(capacity: Int) {
        hashes = Array(repeating: 0, count: capacity)
    }

    /// Returns whether the SQL has probably been seen before, and remembers it.
    mutating func hasSeen(_ sql: String) -> Bool {
        let hash = ExactString(sql).hashValue
        let slot = Int(hash.magnitude % UInt(hashes.count))
        defer { hashes[slot] = hash }
        return hashes[slot] == hash
    }
}
