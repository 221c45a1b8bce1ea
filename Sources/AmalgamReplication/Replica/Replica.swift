#if Replication && (os(Linux) || os(macOS))
import Foundation

/// A copy of a database in a store, which a ``ReplicationService`` keeps up to date.
///
/// ```swift
/// let replica = Replica(
///     bucket: "backups", path: "players", region: "eu-central-1",
///     credentials: ReplicaCredentials(accessKeyID: "AKIAEXAMPLE", secretAccessKey: "example"))
/// ```
///
/// A replica holds one database. Two databases, or two processes, must not replicate to the same path.
public struct Replica: Hashable, Sendable, CustomStringConvertible {
    /// The address of the replica, without credentials.
    public let url: String

    /// The credentials of the store.
    public var credentials: ReplicaCredentials?

    /// The Litestream program, and its environment.
    public var engine: ReplicationEngine

    /// Creates a replica with an address of Litestream, such as `s3://bucket/path`, `file:///path`, `gs://bucket/path`,
    /// `abs://container/path` or `sftp://host/path`: <https://litestream.io/reference/config/>.
    ///
    /// ```swift
    /// let replica = Replica(url: "file:///Volumes/Backup/players")
    /// ```
    ///
    /// An address that contains credentials is refused by the methods that use it.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - credentials: the credentials of the store. Nil for a folder.
    ///   - engine: the Litestream program.
    public init(url: String, credentials: ReplicaCredentials? = nil, engine: ReplicationEngine = ReplicationEngine()) {
        self.url = url
        self.credentials = credentials
        self.engine = engine
    }

    /// Creates a replica in an S3 bucket.
    ///
    /// ```swift
    /// let replica = Replica(
    ///     bucket: "backups", path: "players", region: "us-east-1", endpoint: "http://127.0.0.1:8333",
    ///     credentials: ReplicaCredentials(accessKeyID: "example", secretAccessKey: "example"))
    /// ```
    ///
    /// - Parameters:
    ///   - bucket: the name of the bucket, which must exist.
    ///   - path: the prefix of the replica's objects.
    ///   - region: the region of the bucket.
    ///   - endpoint: the URL of a server other than that of AWS. Buckets are then in the path of requests.
    ///   - credentials: the credentials of the store.
    ///   - engine: the Litestream program.
    public init(
        bucket: String, path: String, region: String, endpoint: String? = nil, credentials: ReplicaCredentials,
        engine: ReplicationEngine = ReplicationEngine()
    ) {
        var url = "s3://\(bucket)/\(path)?region=\(region)"
        if let endpoint { url += "&endpoint=\(endpoint)&force-path-style=true" }
        self.init(url: url, credentials: credentials, engine: engine)
    }

    /// The address, without its query.
    public var description: String { String(url.prefix { $0 != "?" }) }

    /// The variables of the processes that use the replica, and no others.
    var environment: [String: String] {
        engine.environment.merging(credentials?.environment ?? [:]) { _, credential in credential }
    }

    /// Throws an error if the address isn't one, or contains credentials.
    func check() throws {
        guard let components = URLComponents(string: url), components.scheme != nil else {
            throw ReplicationError(
                .invalidConfiguration, "The address of a replica is a URL such as s3://bucket/path, not \(self).")
        }
        let secret = ["key", "secret", "token", "password"]
        let names = components.queryItems?.map { $0.name.lowercased() } ?? []
        if components.password != nil || names.contains(where: { name in secret.contains { name.contains($0) } }) {
            throw ReplicationError(
                .invalidConfiguration,
                "The address of a replica must not contain credentials, which other processes could see. "
                    + "Pass them as ReplicaCredentials.")
        }
    }

    func redact(_ text: String) -> String { credentials?.redact(text) ?? text }
}
#endif
