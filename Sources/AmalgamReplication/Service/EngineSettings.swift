#if Replication && (os(Linux) || os(macOS))
import Foundation

/// The configuration file of `litestream replicate`. It is written as JSON, which is a subset of YAML, and contains no
/// credentials.
struct EngineSettings: Encodable {
    struct Socket: Encodable {
        let enabled = true
        let path: String
        let permissions = 0o600
    }

    struct Logging: Encodable {
        let level = "info"
        let type = "json"
        let stderr = true
    }

    struct Snapshot: Encodable {
        let interval: String
        let retention: String
    }

    struct Database: Encodable {
        struct Target: Encodable {
            let url: String
            let interval: String

            private enum CodingKeys: String, CodingKey {
                case url
                case interval = "sync-interval"
            }
        }

        let path: String
        let interval: String
        let replica: Target

        private enum CodingKeys: String, CodingKey {
            case path, replica
            case interval = "monitor-interval"
        }
    }

    let socket: Socket
    let logging = Logging()
    let snapshot: Snapshot
    let shutdown: String
    let databases: [Database]

    private enum CodingKeys: String, CodingKey {
        case socket, logging, snapshot
        case shutdown = "shutdown-sync-timeout"
        case databases = "dbs"
    }

    init(_ replications: [DatabaseReplication], _ configuration: ReplicationService.Configuration, socket path: String)
    {
        socket = Socket(path: path)
        snapshot = Snapshot(
            interval: configuration.snapshotInterval.engineText, retention: configuration.snapshotRetention.engineText)
        shutdown = configuration.shutdownTimeout.engineText
        let monitorInterval = min(configuration.uploadInterval, .seconds(1)).engineText
        databases = replications.map { replication in
            Database(
                path: replication.local.database.path, interval: monitorInterval,
                replica: Database.Target(
                    url: replication.replica.url, interval: configuration.uploadInterval.engineText))
        }
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
#endif
