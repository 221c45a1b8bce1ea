/// Prepared statements that a connection keeps, by their SQL.
///
/// A cache is bounded: the statements used longest ago go first. See ``StatementStore``.
struct StatementCache {
    private struct Entry {
        var statement: Statement
        var lastUse: UInt64
    }

    private var entries: [String: Entry] = [:]
    private var clock: UInt64 = 0
    private let capacity: Int

    /// The entry found last, tried first: loops ask for one statement again and again.
    private var recent: (sql: String, statement: Statement)?

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func statement(_ sql: String) -> Statement? {
        if let recent, recent.sql == sql { return recent.statement }
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
        entries[sql] = Entry(statement: statement, lastUse: clock)
        if entries.count > capacity { evict() }
    }

    mutating func remove(_ sql: String) {
        recent = nil
        entries[sql] = nil
    }

    mutating func removeAll() {
        recent = nil
        entries = [:]
    }

    /// Drops half of the statements at once, so that their sort is paid for rarely.
    private mutating func evict() {
        // What was found last is young, however often it was found.
        if let recent { entries[recent.sql]?.lastUse = clock }
        recent = nil
        let byAge = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (sql, _) in byAge.prefix(entries.count / 2) { entries[sql] = nil }
    }
}

/// Remembers which SQL was run lately, so that only SQL that comes back is worth a place in a cache: an import of
/// ten thousand different INSERT statements would else throw everything out.
struct RecentSQL {
    private var hashes: [Int]

    init(capacity: Int) {
        hashes = Array(repeating: 0, count: capacity)
    }

    /// Whether the SQL was seen before, probably.
    mutating func hasSeen(_ sql: String) -> Bool {
        let hash = sql.hashValue
        let slot = Int(hash.magnitude % UInt(hashes.count))
        defer { hashes[slot] = hash }
        return hashes[slot] == hash
    }
}
