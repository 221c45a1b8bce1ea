import AmalgamCore
import CAmalgam

extension FTS5Match {
    /// Calls a closure for the first row of a query, and returns the cached result of this call for the following rows.
    /// Use this method for expensive values that are the same for all rows.
    ///
    /// ```swift
    /// let rarity = FTS5Function("rarity") { match, arguments in
    ///     let counts = try match.cached([Int].self) { match in
    ///         try (0..<match.phraseCount).map { phrase in try match.rowCount(ofPhrase: phrase) }
    ///     }
    ///     return try match.hits().reduce(0.0) { sum, hit in sum + 1 / Double(max(1, counts[hit.phrase])) }
    /// }
    /// ```
    ///
    /// During a query, an auxiliary function caches one value of each type: a second call with the type `[Int]` returns
    /// the same value, even if its closure is a different one.
    ///
    /// - Throws: The error of the closure; a ``DatabaseError`` if memory is exhausted.
    public func cached<Value>(
        _ type: Value.Type = Value.self, _ make: (borrowing FTS5Match) throws -> Value
    ) throws -> Value {
        let cache = try cache()
        if let value = cache.values[ObjectIdentifier(type)] as? Value { return value }
        let value = try make(self)
        cache.values[ObjectIdentifier(type)] = value
        return value
    }

    private func cache() throws -> SearchCache {
        if let cache = api.pointee.xGetAuxdata(match, 0) {
            return Unmanaged<SearchCache>.fromOpaque(cache).takeUnretainedValue()
        }
        let cache = SearchCache()
        // SQLite also releases the cache if it is out of memory.
        let code = api.pointee.xSetAuxdata(match, Unmanaged.passRetained(cache).toOpaque()) { cache in
            if let cache { Unmanaged<SearchCache>.fromOpaque(cache).release() }
        }
        try check(code)
        return cache
    }
}

/// The cached values of a function, for one query.
private final class SearchCache {
    var values: [ObjectIdentifier: Any] = [:]
}
