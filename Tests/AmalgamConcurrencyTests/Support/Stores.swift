import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

/// The kinds of writers: tests run on all of them.
enum Store: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memoryQueue, namedQueue, fileQueue, walQueue, pool, erasedPool

    static let files: [Store] = [.fileQueue, .walQueue, .pool]

    var testDescription: String { rawValue }

    func open(in folder: Folder, _ configuration: Configuration = .tested) throws -> any DatabaseWriter {
        var configuration = configuration
        let path = folder.path("db.sqlite")
        switch self {
        case .memoryQueue: return try DatabaseQueue(configuration: configuration)
        case .namedQueue: return try DatabaseQueue(named: UUID().uuidString, configuration: configuration)
        case .fileQueue: return try DatabaseQueue(path: path, configuration: configuration)
        case .walQueue:
            configuration.journalMode = .wal
            return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        case .erasedPool: return AnyDatabaseWriter(try DatabasePool(path: path, configuration: configuration))
        }
    }

    /// Opens a database with a table, and closes it.
    func withWriter(
        _ configuration: Configuration = .tested, _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let writer = try open(in: folder, configuration)
        try writer.write { try $0.createPlayers() }
        try body(writer)
        try writer.close()
    }

    /// Opens a database with a table, and closes it.
    func withWriter(
        _ configuration: Configuration = .tested, _ body: (any DatabaseWriter) async throws -> Void
    ) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let writer = try open(in: folder, configuration)
        try await writer.write { try $0.createPlayers() }
        try await body(writer)
        try writer.close()
    }
}

/// Returns a path for a test in a child process. The file is removed when the process exits normally.
func temporaryPath() -> String {
    atexit { try? FileManager.default.removeItem(at: Folder.ofProcess.url) }
    return Folder.ofProcess.path(UUID().uuidString)
}

extension Folder {
    fileprivate static let ofProcess = Folder()
}

/// Opens a pool on a new file with a table of players.
func withPool(_ configuration: Configuration = .tested, _ body: (DatabasePool, Folder) throws -> Void) throws {
    let folder = Folder()
    defer { withExtendedLifetime(folder) {} }
    let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
    try pool.write { try $0.createPlayers() }
    try body(pool, folder)
    try pool.close()
}

/// Opens a pool on a new file with a table of players.
func withPool(
    _ configuration: Configuration = .tested, _ body: (DatabasePool, Folder) async throws -> Void
) async throws {
    let folder = Folder()
    defer { withExtendedLifetime(folder) {} }
    let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
    try await pool.write { try $0.createPlayers() }
    try await body(pool, folder)
    try pool.close()
}

extension DatabaseWriter {
    func suspend() {
        (self as? DatabaseQueue)?.suspend()
        (self as? DatabasePool)?.suspend()
    }

    func resume() {
        (self as? DatabaseQueue)?.resume()
        (self as? DatabasePool)?.resume()
    }
}

extension Configuration {
    /// A configuration that checks that no connection is closed while a statement writes.
    static var tested: Configuration {
        var configuration = Configuration()
        configuration.onConnectionWillClose { connection in
            var statement = sqlite3_next_stmt(connection, nil)
            while let current = statement {
                if sqlite3_stmt_readonly(current) == 0 && sqlite3_stmt_busy(current) != 0 {
                    Issue.record("closed while writing: \(String(cString: sqlite3_sql(current)))")
                }
                statement = sqlite3_next_stmt(connection, current)
            }
        }
        return configuration
    }

    static func tested(_ change: (inout Configuration) -> Void) -> Configuration {
        var configuration = tested
        change(&configuration)
        return configuration
    }

    /// Logs the statements of all connections.
    static func traced(_ log: Log<String>) -> Configuration {
        tested { $0.prepareDatabase { db in db.trace { log.append($0.description) } } }
    }

    static func readers(_ count: Int) -> Configuration {
        tested { $0.maximumReaderCount = count }
    }
}

extension Database {
    func createPlayers() throws {
        try execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    }

    func addPlayer(_ name: String = "Anna") throws {
        try execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
    }

    func playerCount() throws -> Int {
        try Int.fetchOne(self, sql: "SELECT COUNT(*) FROM player")!
    }

    /// Whether a statement has begun and not ended.
    var isBusy: Bool {
        var statement = sqlite3_next_stmt(sqliteConnection, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { return true }
            statement = sqlite3_next_stmt(sqliteConnection, current)
        }
        return false
    }

    /// Runs until it is interrupted.
    func runForever() throws {
        _ = try Int.fetchOne(
            self, sql: "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n")
    }
}

/// Returns the error of a closure that must throw a `DatabaseError`.
@discardableResult
func databaseError<T>(
    _ code: ResultCode? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) throws -> DatabaseError {
    let error = try #require(throws: DatabaseError.self, sourceLocation: sourceLocation) { _ = try body() }
    if let code { #expect(error.resultCode == code, "\(error)", sourceLocation: sourceLocation) }
    return error
}

/// An error of the tests.
struct Oops: Error, Equatable {
    var number = 0
}
