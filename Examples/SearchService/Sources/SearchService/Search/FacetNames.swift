import Amalgam
import Synchronization

/// The members of the metadata that are shown as facets.
///
/// Without a choice of the administrator, these are the members with few values, in a sample of the documents.
final class FacetNames: Sendable {
    private let chosen: [String]
    private let found = Mutex<(names: [String], expires: ContinuousClock.Instant)?>(nil)

    init(chosen: [String] = []) { self.chosen = chosen }

    func names(_ store: Store) async throws -> [String] {
        if !chosen.isEmpty { return chosen }
        let now = ContinuousClock.now
        if let found = found.withLock({ $0 }), found.expires > now { return found.names }
        let names = try await store.pool.read { db in try String.fetchAll(db, sql: Self.sql) }
        // Without documents, there are none yet.
        if !names.isEmpty { found.withLock { $0 = (names, now + .seconds(10)) } }
        return names
    }

    private static let sql = """
        SELECT key FROM (SELECT metadata FROM document ORDER BY id DESC LIMIT 1000), json_each(metadata)
        WHERE type IN ('text', 'integer', 'true', 'false')
        GROUP BY key HAVING count(DISTINCT atom) < 10 OR count(*) > 20 * count(DISTINCT atom)
        ORDER BY count(*) DESC, key LIMIT 6
        """
}
