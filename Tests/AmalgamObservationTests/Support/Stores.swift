#if Macros || !MACRO_RECORDS
import Amalgam
import Foundation
import TestSupport
import Testing

/// The kinds of databases: tests run on all of them.
enum Store: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memoryQueue, fileQueue, pool, erasedPool

    static let queues: [Store] = [.memoryQueue, .fileQueue]

    var testDescription: String { rawValue }

    /// Opens a database with tables of players and teams, and closes it.
    func withWriter(
        _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) throws -> Void
    ) throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let writer = try open(in: folder, configuration)
        try writer.write { try $0.createLeague() }
        try body(writer)
        try writer.close()
    }

    /// Opens a database with tables of players and teams, and closes it.
    func withWriter(
        _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) async throws -> Void
    ) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let writer = try open(in: folder, configuration)
        try await writer.write { try $0.createLeague() }
        try await body(writer)
        try writer.close()
    }

    private func open(in folder: Folder, _ configuration: Configuration) throws -> any DatabaseWriter {
        let path = folder.path("db.sqlite")
        switch self {
        case .memoryQueue: return try DatabaseQueue(configuration: configuration)
        case .fileQueue: return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        case .erasedPool: return AnyDatabaseWriter(try DatabasePool(path: path, configuration: configuration))
        }
    }
}

/// Opens a pool on a new file, with tables of players and teams.
func withPool(
    _ configuration: Configuration = Configuration(), _ body: (DatabasePool, Folder) throws -> Void
) throws {
    let folder = Folder()
    defer { withExtendedLifetime(folder) {} }
    let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
    try pool.write { try $0.createLeague() }
    try body(pool, folder)
    try pool.close()
}

extension Database {
    func createLeague() throws {
        try execute(
            sql: """
                CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE player (
                    id INTEGER PRIMARY KEY, name TEXT, score INTEGER NOT NULL DEFAULT 0,
                    teamId INTEGER REFERENCES team(id) ON DELETE CASCADE ON UPDATE CASCADE);
                """)
    }

    func addPlayer(_ name: String = "Anna", score: Int = 0) throws {
        try execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: [name, score])
    }

    func playerCount() throws -> Int { try Int.fetchOne(self, sql: "SELECT COUNT(*) FROM player")! }
}

/// The number of players.
let counting = ValueObservation.tracking { db in try db.playerCount() }

/// An error of the tests.
struct Oops: Error, Equatable {}

extension DatabaseWriter {
    /// Runs a closure while another thread adds players.
    func whileOthersWrite(_ body: () throws -> Void) throws {
        let isOver = Box(false)
        let others = Worker {
            while !isOver.value { try self.write { try $0.addPlayer() } }
        }
        do {
            defer { isOver.value = true }
            try body()
        }
        try others.join()
    }
}
#endif
