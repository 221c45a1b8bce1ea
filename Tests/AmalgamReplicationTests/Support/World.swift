#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport

/// A folder with a database, and a replica in another folder.
final class World: Sendable {
    let folder = Folder()
    let replica: Replica

    init(_ replica: Replica? = nil) { self.replica = replica ?? Replica(folder: folder.path("replica")) }

    var path: String { folder.path("db.sqlite") }

    func open(_ configuration: Configuration = .replicated) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS player (id INTEGER PRIMARY KEY, name TEXT)")
        }
        return pool
    }

    func service(
        _ pool: DatabasePool, ownerCheckInterval: Duration = .seconds(30),
        _ change: (inout ReplicationService.Configuration) -> Void = { _ in }
    ) throws -> ReplicationService {
        var options = ReplicationService.Configuration()
        options.ownerCheckInterval = ownerCheckInterval
        options.uploadInterval = .milliseconds(100)
        options.shutdownTimeout = .seconds(300)
        change(&options)
        return try ReplicationService(pool, to: replica, configuration: options, logger: .silent)
    }

    /// Opens the database, replicates it while a closure runs, and closes it.
    func replicating(
        _ configuration: Configuration = .replicated, shutdownTimeout: Duration = .seconds(300),
        _ body: (DatabasePool, ReplicationService) async throws -> Void
    ) async throws {
        let pool = try open(configuration)
        let service = try service(pool) { $0.shutdownTimeout = shutdownTimeout }
        let running = RunningService(service)
        do {
            try await body(pool, service)
        } catch {
            try? await running.stop()
            throw error
        }
        try await running.stop()
        try pool.close()
    }

    /// Makes all uploads to the replica's folder fail.
    func stopUploads() throws -> StoppedUploads { try StoppedUploads(folder.path("replica/ltx/0")) }

    /// The local files of the engine.
    func engineFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(".db.sqlite-litestream/ltx/0")).sorted()
    }

    /// Restores the latest state, and returns the players.
    func restoredPlayers(at point: RestorePoint = .latest) async throws -> [String] {
        let path = folder.path("restored-\(UUID().uuidString).sqlite")
        try await replica.restore(to: path, at: point)
        return try await DatabaseQueue(path: path).read(players)
    }
}

/// A file in the place of a replica's folder, so that uploads fail.
struct StoppedUploads {
    /// The path of the folder in the meantime.
    let aside: String
    private let path: String

    fileprivate init(_ path: String) throws {
        (self.path, aside) = (path, path + "-aside")
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        try Data().write(to: URL(fileURLWithPath: path))
    }

    func resume() throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: aside, toPath: path)
    }
}

extension Folder {
    func permissions(_ name: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }
}

@Sendable func players(_ db: Database) throws -> [String] {
    try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
}

extension DatabaseWriter {
    func insert(_ names: String...) throws {
        for name in names {
            try write { db in try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name]) }
        }
    }
}

extension DatabasePool {
    /// Writes a transaction that is in the replica afterwards.
    func insertReplicated(_ name: String, timeout: Duration = .seconds(300)) async throws {
        try await write(durability: .replicated(timeout: timeout)) { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
        }
    }
}
#endif
