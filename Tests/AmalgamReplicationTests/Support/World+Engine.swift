#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import TestSupport
import Testing

@testable import AmalgamReplication

extension World {
    /// Replaces the row of the owner many times, as services do in the life of a machine.
    func replaceOwnerRow() async throws {
        let pool = try open()
        let local = LocalState(pool)
        let lock = try local.lock()
        let row = OwnerRow(pool, local)
        for number in 0..<100 { await row.replace(after: number, isLast: true) }
        withExtendedLifetime(lock) {}
        #expect(local.owners?.count ?? 0 > 20)
        try pool.close()
    }

    /// Replicates until the row of the owner is in the replica. The service replaces it again at its end.
    func replicateOwnerRow() async throws {
        try await replicating { pool, service in
            try await wait("an upload") { service.status(of: pool)?.lastUpload != nil }
        }
    }

    /// The process of the running engine.
    func engineProcess() async throws -> Int32 {
        let engine = try String(contentsOfFile: folder.path(".db.sqlite-replication/engine"), encoding: .utf8)
        let engines = try await processes(containing: "replicate -no-expand-env -config \(engine)/litestream.yml")
        return try #require(engines.first)
    }

    /// The number of requests that the engine hasn't answered. Linux lists each connection with the path of its socket.
    ///
    /// - Returns: nil on other systems.
    func engineRequestCount() throws -> Int? {
        #if os(Linux)
        let engine = try String(contentsOfFile: folder.path(".db.sqlite-replication/engine"), encoding: .utf8)
        let path = engine + "/" + PrivateFolder.socketName
        let sockets = try systemFile("/proc/net/unix")
        return sockets.split(separator: "\n").count(where: { line in
            let words = line.split(separator: " ")
            return words.count == 8 && words[5] == "03" && words[7] == path
        })
        #else
        return nil
        #endif
    }

    /// Compares the local files with those of another owner, as a service does that has uploaded as many.
    func expectDifference(from files: [ReplicaFile], _ replica: Replica) {
        let local = LocalState(database: path)
        let last = local.engineFiles.map(\.maximum).max() ?? 0
        let error = #expect(throws: ReplicationError.self) {
            try local.checkLineage(files.filter { $0.maximum <= last }, replica)
        }
        #expect(error?.code == .diverged)
        #expect(error?.message.contains("that differs from") == true)
    }
}
#endif
