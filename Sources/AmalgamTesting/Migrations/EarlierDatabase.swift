import AmalgamConcurrency
public import AmalgamCore
public import AmalgamMigrations

/// A database of an earlier version of an application, from which a ``MigrationTester`` migrates.
public struct EarlierDatabase: Sendable {
    /// The description in messages: `version "v1"`, or the path of a file.
    let name: String

    /// Fills an empty database.
    private let fill: Fill

    private typealias Fill =
        @Sendable (_ empty: DatabaseQueue, _ tester: MigrationTester, _ databases: TemporaryDatabases) throws -> Void

    /// A new database, which is migrated up to a version, and then filled.
    ///
    /// ```swift
    /// let start = EarlierDatabase.version("Create players") { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the last migration that is applied.
    ///   - migrator: The migrator of an earlier release, if its migrations were merged or rewritten since. Nil is the
    ///     migrator of the tester.
    ///   - content: Fills the database, in a transaction.
    public static func version(
        _ name: String, of migrator: DatabaseMigrator? = nil,
        content: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) -> EarlierDatabase {
        EarlierDatabase(name: "version \"\(name)\"") { database, tester, _ in
            try (migrator ?? tester.migrator).migrate(database, upTo: name)
            try database.write(content)
        }
    }

    /// A database file that an earlier release has made. The file is only read: a copy is migrated.
    ///
    /// ```swift
    /// let start = EarlierDatabase.file("Fixtures/v1.sqlite")
    /// ```
    ///
    /// ``MigrationTester/makeFile(at:version:content:)`` makes such files.
    public static func file(_ path: String) -> EarlierDatabase {
        EarlierDatabase(name: path) { database, tester, databases in
            // Even a read-only connection to a file in WAL mode creates files next to it.
            let copy = try databases.copyFile(at: path)
            let source = try DatabaseQueue(path: copy, configuration: tester.configuration.forCopies)
            try source.backup(to: database)
            try source.close()
        }
    }

    /// Creates a temporary database with the schema and the rows.
    func make(in databases: TemporaryDatabases, for tester: MigrationTester) throws -> DatabaseQueue {
        let database = try databases.make(tester.configuration.forCopies)
        try fill(database, tester, databases)
        return database
    }

    private init(name: String, fill: @escaping Fill) {
        self.name = name
        self.fill = fill
    }
}
