import AmalgamConcurrency
public import AmalgamCore
import AmalgamInspection
public import AmalgamMigrations
import Foundation

/// Tests that an application can open the databases of its earlier versions.
///
/// ```swift
/// let tester = MigrationTester(migrator)
/// let start = EarlierDatabase.version("Create players") { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
/// }
/// try tester.expectMigration(from: start) { db in
///     try String.fetchAll(db, sql: "SELECT name FROM player")   // the same before and after
/// }
/// try tester.expectInterruptions(from: start) { db in
///     try String.fetchAll(db, sql: "SELECT name FROM player")
/// }
/// ```
///
/// All databases are temporary, and files of earlier versions are only read. A database isn't erased, even if
/// `eraseDatabaseOnSchemaChange` of the migrator is true. `DatabaseMigrator.verify(from:configuration:content:)` compares the
/// schemas of all versions; the tester checks what becomes of the rows.
public struct MigrationTester: Sendable {
    /// The migrator of the application.
    public let migrator: DatabaseMigrator

    /// The configuration of the databases.
    public let configuration: Configuration

    /// Creates a tester.
    ///
    /// ```swift
    /// let tester = MigrationTester(migrator, configuration: config)
    /// ```
    ///
    /// - Parameters:
    ///   - migrator: The migrator of the application.
    ///   - configuration: The configuration of the databases: the functions, collations and pass phrases that they need.
    public init(_ migrator: DatabaseMigrator, configuration: Configuration = Configuration()) {
        var migrator = migrator
        migrator.eraseDatabaseOnSchemaChange = false
        self.migrator = migrator
        self.configuration = configuration
    }

    /// Makes the file of an earlier version, to be stored next to the tests: a new database, which is migrated up to a
    /// version, and then filled.
    ///
    /// ```swift
    /// try tester.makeFile(at: "Fixtures/v1.sqlite", version: "Create players") { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - version: The name of the last migration that is applied.
    ///   - content: Fills the database, in a transaction.
    /// - Throws: `SQLITE_CANTOPEN` if there is such a file already; the error of a migration or of `content`, after which
    ///   there is no file.
    public func makeFile(at path: String, version: String, content: (Database) throws -> Void) throws {
        if FileManager.default.fileExists(atPath: path) {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "there is a file already: \(path)")
        }
        do {
            let file = try DatabaseQueue(path: path, configuration: configuration.forCopies)
            defer { try? file.close() }
            try migrator.migrate(file, upTo: version)
            try file.write(content)
            try file.close()
        } catch {
            // The next call makes the file again.
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            throw error
        }
    }

    /// Expects that a database of an earlier version can be migrated, and still has the same content then.
    ///
    /// ```
    /// try tester.expectMigration(from: .file("Fixtures/v1.sqlite")) { db in
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// } then: { db in
    ///     let scores = try Int.fetchAll(db, sql: "SELECT score FROM player")
    ///     #expect(scores == [0])
    /// }
    /// ```
    ///
    /// After the migrations, the schema must be that of a new database, all migrations must be applied, and none that isn't
    /// registered. `hasSchemaChanges` must be false, and the checks of foreign keys and integrity find no problem.
    ///
    /// - Parameters:
    ///   - start: The database of the earlier version.
    ///   - content: Fetches what the migrations must keep. It runs before the migrations and after them, and must return
    ///     equal values.
    ///   - check: Further checks of the migrated database.
    /// - Throws: ``ExpectationFailed``; the error of creating or reading the database of the earlier version; the error of a
    ///   closure.
    public func expectMigration<Content: Equatable>(
        from start: EarlierDatabase, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column, keeping content: (Database) throws -> Content,
        then check: (Database) throws -> Void = { _ in }
    ) throws {
        let run = MigrationRun(self, start, CodeLocation(fileID, filePath, line, column))
        let database = try run.makeDatabase()
        let before = try database.read(content)
        try run.describing { try migrator.migrate(database) }
        try run.checkEnd(of: database)
        try run.expectEqual(try database.read(content), before)
        try database.read(check)
    }

    /// Expects that a database of an earlier version can be migrated when the migrations are interrupted at any point and run
    /// again.
    ///
    /// ```swift
    /// try tester.expectInterruptions(from: .version("Create players")) { db in
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// ```
    ///
    /// The migrations are interrupted as by an application that cancels them: a report of their progress throws an error, when
    /// a migration begins, while its statements run, before its foreign keys are checked, and after its commit. After an
    /// interruption, the applied migrations must be the first ones in the order of registration, the schema must be that of
    /// these migrations, and the checks of foreign keys and integrity find no problem. Then the remaining migrations run, and
    /// the database must fulfil what ``expectMigration(from:fileID:filePath:line:column:keeping:then:)`` expects.
    ///
    /// - Parameters:
    ///   - start: The database of the earlier version.
    ///   - limit: The maximum number of interruptions. If migrations report their progress more often, they are interrupted
    ///     at this number of reports, at equal distances.
    ///   - content: Fetches what the migrations must keep. It runs before the migrations and after them, and must return
    ///     equal values.
    /// - Returns: The number of interruptions; 0 if no migration was to be applied.
    /// - Throws: ``ExpectationFailed``; the error of creating or reading the database of the earlier version; the error of a
    ///   closure.
    @discardableResult
    public func expectInterruptions<Content: Equatable>(
        from start: EarlierDatabase, limit: Int = 100, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column, keeping content: (Database) throws -> Content
    ) throws -> Int {
        let run = MigrationRun(self, start, CodeLocation(fileID, filePath, line, column))
        let database = try run.makeDatabase()
        let before = try database.read(content)
        var reports: [MigrationProgress] = []
        try run.describing {
            try migrator.migrate(run.copy(database), reportingEvery: .zero) { reports.append($0) }
        }
        let step = max(1, (reports.count + max(1, limit) - 1) / max(1, limit))
        let points = Array(stride(from: 0, to: reports.count, by: step))
        for point in points {
            let run = run.interrupted(reports[point], point)
            let copy = try run.copy(database)
            try run.interrupt(copy, at: point)
            try run.checkInterruption(of: copy)
            try run.describing { try migrator.migrate(copy) }
            try run.checkEnd(of: copy)
            try run.expectEqual(try copy.read(content), before)
            try copy.close()
        }
        return points.count
    }
}
