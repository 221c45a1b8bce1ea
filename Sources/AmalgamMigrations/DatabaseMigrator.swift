import AmalgamBackup
public import AmalgamConcurrency
public import AmalgamCore

/// A list of migrations, which create and change a schema. Each migration runs once, in the order of registration.
///
/// ```swift
/// var migrator = DatabaseMigrator()
///
/// migrator.registerMigration("Create players") { db in
///     try db.create(table: "player") { t in
///         t.autoIncrementedPrimaryKey("id")
///         t.column("name", .text).notNull()
///     }
/// }
///
/// migrator.registerMigration("Add scores") { db in
///     try db.alter(table: "player") { t in
///         t.add(column: "score", .integer).notNull().defaults(to: 0)
///     }
/// }
///
/// try migrator.migrate(dbQueue)
/// ```
///
/// Each migration runs in its own transaction. If a migration fails, it is rolled back, and later migrations don't run.
/// Earlier migrations stay applied. The table `grdb_migrations` stores the names of the applied migrations.
///
/// Never change a migration after it was shipped. In migrations, use the names of tables and columns instead of record
/// types, which may change.
///
/// ``migrate(_:upTo:reportingEvery:progress:)`` reports the progress of long migrations. ``dryRun(_:upTo:)`` returns
/// what migrations would change. In tests, ``verify(from:configuration:content:)`` checks that migrating from each
/// version leads to the same schema.
public struct DatabaseMigrator: Sendable {
    /// When a migration checks foreign keys. See <https://sqlite.org/foreignkeys.html>.
    ///
    /// ```swift
    /// migrator.registerMigration("Rename players", foreignKeyChecks: .immediate) { db in
    ///     try db.rename(table: "player", to: "person")   // recreates no table
    /// }
    /// ```
    public enum ForeignKeyChecks: Sendable {
        /// The foreign keys are disabled, so that tables can be recreated. They are checked once, before the commit, in
        /// the main database and in all temporary and attached databases that can be written.
        case deferred

        /// The foreign keys are enabled, and each statement checks them. This suits migrations that don't recreate
        /// tables, such as those that rename or add tables and columns.
        case immediate
    }

    /// Whether the migrator first erases a database whose schema differs from the schema that its applied migrations
    /// create now: see ``hasSchemaChanges(_:)``.
    ///
    /// Use it during development, while the last migrations still change:
    ///
    /// ```swift
    /// #if DEBUG
    /// migrator.eraseDatabaseOnSchemaChange = true
    /// #endif
    /// ```
    ///
    /// All content is lost if a migration was changed, removed or renamed, but not if migrations were added.
    public var eraseDatabaseOnSchemaChange = false

    private(set) var registered: [Migration] = []
    private var checksForeignKeys = true

    /// Creates a migrator without migrations.
    public init() {}

    /// The names of the registered migrations, in the order of their registration.
    public var migrations: [String] { registered.map(\.identifier) }

    /// Returns a copy of the migrator. Migrations added to the copy don't check foreign keys before the commit.
    ///
    /// ```swift
    /// migrator = migrator.disablingDeferredForeignKeyChecks()
    /// migrator.registerMigration("Delete teams") { db in
    ///     try db.execute(sql: "DELETE FROM team WHERE name = ''")
    ///     try db.checkForeignKeys(in: "player")
    /// }
    /// ```
    ///
    /// Without the check, migrations of large databases are faster, but may violate foreign keys. Call
    /// `db.checkForeignKeys(in:)` for the tables that need the check.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.checksForeignKeys = false
        return migrator
    }

    /// Registers a migration.
    ///
    /// ```swift
    /// migrator.registerMigration("Create notes") { db in
    ///     try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, content TEXT)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: the name of the migration, which is stored in the database. Registering the same name twice
    ///     traps.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - migrate: performs the migration, in a transaction.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (Database) throws -> Void
    ) {
        registerMigration(identifier, foreignKeyChecks: foreignKeyChecks, merging: []) { db, _ in try migrate(db) }
    }

    /// Registers a migration that replaces other migrations, which aren't registered any more.
    ///
    /// ```swift
    /// migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, appliedIDs in
    ///     if !appliedIDs.contains("v1") { try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") }
    ///     if !appliedIDs.contains("v2") { try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: the name of the migration, which is stored in the database.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - mergedIdentifiers: the names of the replaced migrations, which are removed from the table `grdb_migrations`.
    ///   - migrate: performs the migration, in a transaction. It receives the names of the replaced migrations that
    ///     have been applied.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        merging mergedIdentifiers: Set<String> = [],
        migrate: @escaping @Sendable (_ db: Database, _ appliedIDs: Set<String>) throws -> Void
    ) {
        require(
            !registered.contains { $0.identifier == identifier }, "already registered migration: \"\(identifier)\"")
        registered.append(
            Migration(
                identifier: identifier, mergedIdentifiers: mergedIdentifiers.subtracting([identifier]),
                foreignKeyChecks: Migration.Checks(foreignKeyChecks, whenDeferred: checksForeignKeys),
                migrate: migrate))
    }
}

// MARK: - Migrating

extension DatabaseMigrator {
    /// Runs the migrations that haven't been applied.
    ///
    /// ```swift
    /// try migrator.migrate(dbQueue)
    /// ```
    ///
    /// If several processes migrate the same file at the same time, each migration runs once. The other processes wait
    /// for as long as their `Configuration.busyMode` allows.
    ///
    /// - Throws: the error of the migration that failed. The description of a ``DatabaseError`` contains the name of
    ///   the migration: "SQLite error 1: no such table: team - while executing `…` - in migration "Add teams"". The
    ///   code is `SQLITE_CONSTRAINT_FOREIGNKEY` if the migration violates a foreign key, and `SQLITE_BUSY` if another
    ///   process writes for longer than the busy mode allows. It is `SQLITE_ABORT` if the migration ends its
    ///   transaction: what it has committed by itself stays. Migrations before the failed one stay applied.
    public func migrate(_ writer: any DatabaseWriter) throws {
        try writer.barrierWriteWithoutTransaction { db in try run(db, upTo: nil, NoMigrationObserver()) }
    }

    /// Runs the migrations that haven't been applied, up to the given one.
    ///
    /// ```swift
    /// try migrator.migrate(dbQueue, upTo: "Create players")
    /// ```
    ///
    /// - Throws: the error of the migration that failed; `SQLITE_MISUSE` if the name isn't registered, or if a later
    ///   migration has been applied, because migrations can't be reverted.
    public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
        try writer.barrierWriteWithoutTransaction { db in try run(db, upTo: targetIdentifier, NoMigrationObserver()) }
    }

    /// Enqueues the migrations that haven't been applied, and returns without waiting for them.
    ///
    /// ```swift
    /// migrator.asyncMigrate(dbQueue) { result in
    ///     if case .failure(let error) = result { print(error) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - completion: a closure that is called after the migrations, with the writing connection or the error. The
    ///     closure may use the connection.
    public func asyncMigrate(
        _ writer: any DatabaseWriter, completion: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.asyncBarrierWriteWithoutTransaction { database in
            completion(
                database.flatMap { db in
                    Result {
                        try run(db, upTo: nil, NoMigrationObserver())
                        return db
                    }
                })
        }
    }

    func run(_ db: Database, upTo targetIdentifier: String?, _ observer: some MigrationObserver) throws {
        // This read sees one snapshot, because another process may apply a migration between two statements.
        if try eraseDatabaseOnSchemaChange && db.isolatedRead(hasSchemaChanges) { try db.erase() }
        try MigrationTable.create(db)
        let applied = try appliedIdentifiers(db)
        let pending = try migrations(upTo: targetIdentifier, applied: applied).filter { $0.isPending(applied) }
        observer.willMigrate(pending.map(\.identifier))
        for migration in pending {
            try migration.run(db, observer)
            try observer.didMigrate(migration.identifier)
        }
    }

    /// Returns the registered migrations up to the given one.
    private func migrations(upTo targetIdentifier: String?, applied: Set<String>) throws -> ArraySlice<Migration> {
        guard let targetIdentifier else { return registered[...] }
        guard let target = registered.firstIndex(where: { $0.identifier == targetIdentifier }) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "undefined migration: \"\(targetIdentifier)\"")
        }
        if registered[(target + 1)...].contains(where: { applied.contains($0.identifier) }) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "database is already migrated beyond migration \"\(targetIdentifier)\"")
        }
        return registered[...target]
    }
}
