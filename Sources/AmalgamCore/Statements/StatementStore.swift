/// The statements that a connection keeps compiled, and the memory for their arguments.
///
/// There are two caches. The statements of ``Database/cachedStatement(sql:)`` are returned to callers, who may keep them:
/// asking twice returns the same object. The others serve the methods that take SQL (`execute(sql:)`, `fetchAll(_:sql:)`):
/// a statement is in use for one run, and the same SQL running inside of itself gets another statement.
final class StatementStore {
    /// The statements returned by `cachedStatement(sql:)`.
    var cachedStatements = StatementCache(capacity: 256)

    /// The statements behind the methods that take SQL.
    var sqlStatements = StatementCache(capacity: 128)

    /// Decides which SQL is worth a place in `sqlStatements`.
    private var recentSQL = RecentSQL(capacity: 64)

    /// BEGIN, COMMIT and the like.
    @exclusivity(unchecked)  // None of its methods calls anything else.
    var controlStatements = ControlStatements()

    /// Where the arguments of the statement under way are.
    @exclusivity(unchecked)  // None of its methods calls anything else.
    var argumentMemory = ArgumentMemory()

    /// Keeps a statement whose SQL was run before.
    func keep(_ statement: Statement, for sql: String) {
        if recentSQL.hasSeen(sql) { sqlStatements.insert(statement, for: sql) }
    }

    /// Empties the caches.
    func removeCached() {
        cachedStatements.removeAll()
        sqlStatements.removeAll()
    }

    /// Releases all statements.
    func removeAll() {
        removeCached()
        controlStatements.removeAll()
    }

    /// The caches, saved while an authorizer decides.
    struct SavedCaches {
        fileprivate let cachedStatements: StatementCache
        fileprivate let sqlStatements: StatementCache
        fileprivate let schemaStamp: SchemaState.Stamp
    }

    /// Empties the caches, and returns what they held.
    func saveAndRemoveCached(_ schemaStamp: SchemaState.Stamp) -> SavedCaches {
        defer { removeCached() }
        return SavedCaches(
            cachedStatements: cachedStatements, sqlStatements: sqlStatements, schemaStamp: schemaStamp)
    }

    /// Puts saved statements back, unless they were compiled for another state of the schemas.
    ///
    /// - Parameter schemaStamp: the state now; nil for a connection that was closed.
    func restore(_ saved: SavedCaches, _ schemaStamp: SchemaState.Stamp?) {
        removeCached()
        guard saved.schemaStamp == schemaStamp else { return }
        cachedStatements = saved.cachedStatements
        sqlStatements = saved.sqlStatements
    }
}
