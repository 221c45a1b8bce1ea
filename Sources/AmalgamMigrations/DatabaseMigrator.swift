import AmalgamBackup
public import AmalgamConcurrency
public import AmalgamCore

/// The history of a schema: migrations that run once each, in the order in which they were registered.
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
/// Each migration runs in a transaction of its own. One that fails changes nothing, and stops those after it; those
/// before it stay applied. The database remembers which ones were applied, in the table `grdb_migrations`.
///
/// A migration that an app was shipped with never changes. Use plain names in it, not types of records, which do change.
///
/// ``migrate(_:upTo:reportingEvery:progress:)`` tells how far long migrations are, ``dryRun(_:upTo:)`` what migrations
/// would do, and ``verify(from:configuration:content:)``, in tests, whether all versions come to the same schema.
public struct DatabaseMigrator: Sendable {
    /// When the foreign keys are checked that a migration may break: <https://sqlite.org/foreignkeys.html>.
    public enum ForeignKeyChecks: Sendable {
        /// Once, before the migration is committed. Meanwhile foreign keys are off, so that tables can be created anew.
        case deferred

        /// At each statement. Renaming a table or a column changes the foreign keys that refer to it.
        case immediate
    }

    /// Whether the database is erased, and migrated anew, when its schema is not the one that the migrations make.
    ///
    /// It is for development, while the last migrations still change:
    ///
    /// ```swift
    /// #if DEBUG
    /// migrator.eraseDatabaseOnSchemaChange = true
    /// #endif
    /// ```
    ///
    /// All content is lost when a migration was changed, removed or renamed. It is kept when migrations were added.
    public var eraseDatabaseOnSchemaChange = false

    private(set) var registered: [Migration] = []
    private var checksForeignKeys = true

    /// A migrator without migrations.
    public init() {}

    /// The names of the migrations, in the order in which they were registered.
    public var migrations: [String] { registered.map(\.identifier) }

    /// The migrator, whose migrations registered from now on do not check foreign keys before they are committed.
    ///
    /// Migrations of large databases are faster, and may break foreign keys. Call `db.checkForeignKeys(in:)` where it
    /// matters.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.checksForeignKeys = false
        return migrator
    }

    /// Adds a migration.
    ///
    /// - Parameters:
    ///   - identifier: the name, by which the database remembers the migration. Registering a name twice is a programmer
    ///     error, and traps.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - migrate: what the migration does, in a transaction.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (Database) throws -> Void
    ) {
        registerMigration(identifier, foreignKeyChecks: foreignKeyChecks, merging: []) { db, _ in try migrate(db) }
    }

    /// Adds a migration that takes the place of others, which are not registered any more.
    ///
    /// ```swift
    /// migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, appliedIDs in
    ///     if !appliedIDs.contains("v1") { try db.create(table: "player") { … } }
    ///     if !appliedIDs.contains("v2") { try db.create(table: "team") { … } }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: the name, by which the database remembers the migration.
    ///   - foreignKeyChecks: when foreign keys are checked.
    ///   - mergedIdentifiers: the names of the other migrations. The database forgets them.
    ///   - migrate: what the migration does, in a transaction. It is given the names of those that were applied.
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
    /// Runs the migrations that were not applied yet.
    ///
    /// Several processes may migrate one file at the same time: each migration runs once. The other processes wait for it
    /// as long as `Configuration.busyMode` says.
    ///
    /// - Throws: the error of the migration that failed, whose description names the migration if it is a
    ///   ``DatabaseError``: "SQLite error 1: no such table: team - while executing `…` - in migration "Add teams"". The code
    ///   is `SQLITE_CONSTRAINT_FOREIGNKEY` when the migration breaks a foreign key, and `SQLITE_BUSY` when another process
    ///   writes for longer than the busy mode allows. The migrations before it stay applied.
    public func migrate(_ writer: any DatabaseWriter) throws {
        try writer.barrierWriteWithoutTransaction { db in try run(db, upTo: nil, NoMigrationObserver()) }
    }

    /// Runs the migrations that were not applied yet, up to one of them.
    ///
    /// - throws: the error of the migration that failed; `SQLITE_MISUSE` for a name that is not registered, or when a
    ///   later migration was applied: there is no way back.
    public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
        try writer.barrierWriteWithoutTransaction { db in try run(db, upTo: targetIdentifier, NoMigrationObserver()) }
    }

    /// Runs the migrations that were not applied yet, without waiting for them.
    ///
    /// - Parameter completion: is given the database, which it may use, or the error.
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
        // One state of the database: another process may apply a migration between two statements.
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

    /// The migrations up to one of them.
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
