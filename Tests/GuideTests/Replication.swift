#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import Logging
import ServiceLifecycle
import Testing

@Suite("Guide: When one machine isn't enough")
struct Replication {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The store of the guide is a folder here: AmalgamReplicationTests has an S3 server.
    private func makeReplica() -> Replica {
        // guide: replica
        let s3 = Replica(
            bucket: "backups", path: "players", region: "us-east-1", endpoint: "http://127.0.0.1:8333",
            credentials: ReplicaCredentials(accessKeyID: "app", secretAccessKey: "secret"))
        // end
        #expect(s3.description == "s3://backups/players")
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return Replica(
            url: "file://" + folder.path("replica"),
            engine: ReplicationEngine(path: package.appendingPathComponent(".build/replication/bin/litestream").path))
    }

    @Test("A writer, durable writes, a restore and a follower")
    func deployment() async throws {
        let replica = makeReplica()
        let path = folder.path("app.sqlite")
        // guide: writer
        var config = Configuration()
        config.walPolicy = .replicated
        let dbPool = try await DatabasePool(path: path, restoringFrom: replica, configuration: config)
        let service = try ReplicationService(dbPool, to: replica)
        // end
        try await dbPool.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS player (name TEXT)") }
        // guide: group
        let group = ServiceGroup(services: [service], logger: Logger(label: "app"))
        let running = Task { try await group.run() }
        // end
        // guide: durable
        do {
            try await dbPool.write(durability: .replicated(timeout: .seconds(60))) { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
            }
        } catch let error as ReplicationError where error.isCommitted {
            print("Stored on this machine, and not yet in the replica:", error)
        }
        // end
        let copyPath = folder.path("copy.sqlite")
        // guide: restore
        try await replica.restore(to: copyPath)
        try await service.verify(dbPool)
        // end
        #expect(
            try await DatabaseQueue(path: copyPath).read { try String.fetchAll($0, sql: "SELECT name FROM player") }
                == ["Anna"])
        let followerPath = folder.path("follower")
        // guide: follower
        let follower = Follower(replica, folder: followerPath)
        let followers = ServiceGroup(services: [follower], logger: Logger(label: "reader"))
        let following = Task { try await followers.run() }
        // end
        // guide: values
        for try await names in follower.values({ db in try String.fetchAll(db, sql: "SELECT name FROM player") }) {
            print(names)
            if names.contains("Anna") { break }
        }
        // end
        await followers.triggerGracefulShutdown()
        await group.triggerGracefulShutdown()
        try await following.value
        try await running.value
        // guide: takeover
        try await replica.takeOver(by: dbPool)
        // end
    }
}
#endif
