/// The cached statements of a connection, and the buffer for the strings and blobs of their arguments.
///
/// There are two caches:
/// - `cachedStatements` has the statements that ``Database/cachedStatement(sql:)`` returns. Callers may retain these
///   statements, and two calls return the same object.
/// - `sqlStatements` serves the methods that take SQL, such as `execute(sql:)` and `fetchAll(_:sql:)`. While a
///   statement of this cache runs, a nested call with the same SQL uses a different statement.
final class StatementStore {
    /// The statements returned by `cachedStatement(sql:)`.
    @exclusivity(unchecked)  // Its methods call no other code, so accesses never overlap.
    var cachedStatements = StatementCache(capacity: 256)

    /// The statements of the methods that take SQL.
    @exclusivity(unchecked)  // Its methods call no other code, so accesses never overlap.
    var sqlStatements = StatementCache(capacity: 128)

    /// Decides which SQL is cached in `sqlStatements`.
    private var recentSQL = RecentSQL(capacity: 64)

    /// The statements of transaction control, such as BEGIN and COMMIT.
    @exclusivity(unchecked)  // Its methods call no other code, so accesses never overlap.
    var controlStatements = ControlStatements()

    /// The memory for the arguments of the running statement.
    @exclusivity(unchecked)  // Its methods call no other code, so accesses never overlap.
    var argumentMemory = ArgumentMemory()

    /// Caches a statement, if its SQL was run before.
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

    /// The caches, saved while an authorizer is in use.
    struct SavedCaches {
        fileprivate let cachedStatements: StatementCache
        fileprivate let sqlStatements: StatementCache
        fileprivate let schemaStamp: SchemaState.Stamp
    }

    /// Empties the caches, and returns their content.
    func saveAndRemoveCached(_ schemaStamp: SchemaState.Stamp) -> SavedCaches {
        defer { removeCached() }
        return SavedCaches(
            cachedStatements: cachedStatements, sqlStatements: sqlStatements, schemaStamp: schemaStamp)
    }

    /// Restores the caches that ``saveAndRemoveCached(_:)`` has returned. If the schemas have changed since that call,
    /// the caches are emptied instead.
    ///
    /// - Parameters:
    ///   - saved: the saved caches.
    ///   - schemaStamp: identifies the current state of the schemas; nil for a closed connection.
    func restore(_ saved: SavedCaches, _ schemaStamp: SchemaState.Stamp?) {
        removeCached()
        guard saved.schemaStamp == schemaStamp else { return }
        cachedStatements = saved.cachedStatements
        sqlStatements = saved.sqlStatements
    }
}
