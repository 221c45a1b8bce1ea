public import AmalgamConcurrency
public import AmalgamCore
import AmalgamInspection

extension DatabaseMigrator {
    /// Checks, in a test, that migrating from each version of an application leads to the same schema.
    ///
    /// ```swift
    /// try migrator.verify { db, version in
    ///     if version == "Create players" { try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')") }
    /// }
    /// ```
    ///
    /// The expected schema is the schema of a new database after all migrations. For each migration, the method
    /// migrates another new database up to this migration, fills the database with the closure `content`, and applies
    /// the remaining migrations to a copy. The copy must have the expected schema, and pass the checks of foreign keys
    /// and integrity. All migrations that were applied to the copy must be registered in this migrator. All databases
    /// are temporary.
    ///
    /// If migrations were merged or rewritten after they were shipped, pass the migrators of earlier versions:
    ///
    /// ```swift
    /// try migrator.verify(from: [AppV1.migrator, AppV2.migrator])
    /// ```
    ///
    /// Schemas are compared as described in ``SchemaDifference``.
    ///
    /// - Parameters:
    ///   - earlierMigrators: the migrators of earlier versions of the application. Each of their migrations is checked,
    ///     too: the earlier migrator migrates a new database up to this migration, and this migrator applies the
    ///     remaining migrations to a copy.
    ///   - configuration: the configuration of the databases.
    ///   - content: fills a database. It receives the name of the last applied migration as the version.
    /// - Throws: ``MigrationVerificationError`` with all failures.
    public func verify(
        from earlierMigrators: [DatabaseMigrator] = [], configuration: Configuration = Configuration(),
        content: (_ db: Database, _ version: String) throws -> Void = { _, _ in }
    ) throws {
        var verification = MigrationVerification(migrator: self, configuration: configuration.forCopies)
        try verification.start()
        for version in migrations { try verification.check("version \"\(version)\"", self, version, content) }
        for (index, earlier) in earlierMigrators.enumerated() {
            for version in earlier.migrations {
                try verification.check("version \"\(version)\" of migrator \(index + 1)", earlier, version, content)
            }
        }
        try verification.end()
    }

    /// Checks, in a test, that migrating an earlier version of a database leads to the schema of a new database.
    ///
    /// ```swift
    /// try migrator.verify(DatabaseQueue(path: "Fixtures/v1.sqlite"))
    /// ```
    ///
    /// A temporary copy of the database is migrated. The database itself is only read.
    ///
    /// - Throws: ``MigrationVerificationError`` with all failures, or an error of reading the database.
    public func verify(_ reader: any DatabaseReader) throws {
        var verification = MigrationVerification(migrator: self, configuration: reader.configuration.forCopies)
        try verification.start()
        let copy = try verification.makeDatabase()
        try reader.backup(to: copy)
        verification.check("the database", copy)
        try verification.end()
    }
}

/// The state of a verification.
private struct MigrationVerification {
    typealias Content = (_ db: Database, _ version: String) throws -> Void

    private var migrator: DatabaseMigrator
    private let configuration: Configuration
    private let databases = TemporaryDatabases()
    private var schema: [SchemaObject] = []
    private var failures: [MigrationVerificationError.Failure] = []

    init(migrator: DatabaseMigrator, configuration: Configuration) {
        self.migrator = migrator
        self.migrator.eraseDatabaseOnSchemaChange = false
        self.configuration = configuration
    }

    func makeDatabase() throws -> DatabaseQueue { try databases.make(configuration) }

    /// Migrates a new database, which provides the expected schema.
    mutating func start() throws {
        let new = try makeDatabase()
        do {
            try migrator.migrate(new)
            schema = try new.read { db in try SchemaObject.ownObjects(db) }
        } catch {
            fail("an empty database", error)
            try end()
        }
        check("an empty database", new)
    }

    mutating func end() throws {
        if !failures.isEmpty { throw MigrationVerificationError(failures: failures) }
    }

    /// Migrates a new database to a version, fills it, and then migrates a copy of it to the end.
    mutating func check(
        _ start: String, _ earlier: DatabaseMigrator, _ version: String, _ content: Content
    ) throws {
        do {
            let old = try makeDatabase()
            try earlier.migrate(old, upTo: version)
            try old.write { db in try content(db, version) }
            let database = try makeDatabase()
            try old.backup(to: database)
            check(start, database)
        } catch {
            fail(start, error)
        }
    }

    mutating func check(_ start: String, _ database: DatabaseQueue) {
        do {
            try migrator.migrate(database)
            if let reason = try database.read(defect) {
                failures.append(MigrationVerificationError.Failure(start: start, reason: reason))
            }
        } catch {
            fail(start, error)
        }
    }

    /// Returns a description of the first defect of a migrated database, or nil if it has none.
    private func defect(_ db: Database) throws -> String? {
        let difference = SchemaDifference(from: schema, to: try SchemaObject.ownObjects(db))
        if !difference.isEmpty { return "the schema is not that of a new database\n\(difference)" }
        if try migrator.hasBeenSuperseded(db) {
            let unknown = try migrator.appliedIdentifiers(db).subtracting(migrator.migrations).sorted()
            return "migrations are not registered any more: \(unknown.joined(separator: ", "))"
        }
        try db.checkForeignKeys()
        let messages = try db.integrityCheck()
        return messages.isEmpty ? nil : messages.map { "\($0)" }.joined(separator: "\n")
    }

    private mutating func fail(_ start: String, _ error: any Error) {
        failures.append(MigrationVerificationError.Failure(start: start, reason: "\(error)"))
    }
}
